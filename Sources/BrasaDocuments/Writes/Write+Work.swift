/// About what parts of a write and of a document take in memory while writes are applied. Time goes with it.
enum WorkBytes {
    /// An element of an array under transforms: a value, a place and a way to the next.
    static let element = 128
    /// A field on the way to a change: of a map that is taken apart, or a name of a path.
    static let field = 64
}

extension Write {
    /// About what it takes to apply it, beside what the document takes: what the request brings is known before the
    /// document is.
    package var workBytes: Int {
        var bytes = 0
        if case .merge(_, let mask) = self.operation {
            for path in mask { bytes += path.workBytes }
        }
        for transform in self.transforms {
            bytes += transform.path.workBytes
            switch transform.operation {
            case .appendMissingElements(let elements), .removeAllFromArray(let elements):
                bytes += elements.count * WorkBytes.element
            case .requestTime, .increment, .maximum, .minimum: break
            }
        }
        return bytes
    }
}

extension FieldPath {
    fileprivate var workBytes: Int { self.segments.count * WorkBytes.field }
}
