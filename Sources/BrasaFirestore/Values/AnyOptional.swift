/// Any optional, whatever it wraps.
protocol AnyOptional {
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    var isNil: Bool {
        guard case .some(let wrapped) = self else { return true }
        return (wrapped as? any AnyOptional)?.isNil ?? false
    }
}
