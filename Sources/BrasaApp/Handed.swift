/// Something that is handed from one thread to another and used by the second alone: handlers of users, for example, which
/// need not be Sendable.
// @unchecked: that is for whoever makes one to see to.
package struct Handed<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
