/// Takes a JSON value in pieces, in the order of its text: what a scanner reads into and an emitter writes into.
///
/// Strings and keys are valid UTF-8, without escapes, and borrowed for the call.
package protocol JSONSink {
    associatedtype Failure: Error

    mutating func null() throws(Failure)
    mutating func scalar(_ value: JSONScalar) throws(Failure)
    mutating func string(_ text: UnsafeBufferPointer<UInt8>) throws(Failure)
    mutating func beginObject() throws(Failure)
    mutating func key(_ text: UnsafeBufferPointer<UInt8>) throws(Failure)
    mutating func endObject() throws(Failure)
    mutating func beginArray() throws(Failure)
    mutating func endArray() throws(Failure)

    /// Where in the value the sink is, for errors.
    var path: TreePath? { get }
}

/// A boolean or number. An integer that fits 64 bits is one, everything else a double.
package enum JSONScalar: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    case double(Double)

    /// As the tree holds it.
    var treeScalar: TreeScalar? {
        switch self {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .double(let value): TreeScalar.number(value)
        }
    }
}
