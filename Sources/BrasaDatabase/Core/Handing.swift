/// Something that is handed from one thread to another and used by the second alone: handlers of users, which need not be
/// Sendable.
// @unchecked: that is for whoever makes one to see to.
struct Handed<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
