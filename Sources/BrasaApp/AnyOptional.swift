/// Any optional, whatever it wraps: of one in an `Any` a cast takes the value out, and finds no other type in an empty one.
package protocol AnyOptional {
    /// What it holds, out of all optionals; nil where one of them is empty.
    var held: Any? { get }
}

extension AnyOptional {
    package var isNil: Bool { self.held == nil }
}

extension Optional: AnyOptional {
    package var held: Any? {
        guard case .some(let wrapped) = self else { return nil }
        guard let optional = wrapped as? any AnyOptional else { return wrapped }
        return optional.held
    }
}
