package import BrasaDocuments

/// The message of a request for a query, taken apart: those that differ in nothing but the values that their filters compare
/// with, of the same classes, have the same bytes here.
package struct QueryOutline: Sendable {
    /// The message without these values, and without lengths that depend on them.
    package let bytes: [UInt8]
    /// One for each filter on a field that has one, in their order.
    package let operands: [Value]

    package init(bytes: [UInt8], operands: [Value]) {
        self.bytes = bytes
        self.operands = operands
    }
}
