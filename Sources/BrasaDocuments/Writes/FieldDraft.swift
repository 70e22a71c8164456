/// A document's fields under the merges and transforms of one commit. Each costs what it says, not what the document holds:
/// the fields are taken apart once and put together once, and so is every array that is transformed.
struct FieldDraft: Sendable {
    private var tree: FieldTree
    /// Transformed so far and not in the tree yet. None of their paths leads to another.
    private var arrays: [FieldPath: ArrayEdit] = [:]
    /// Something was set that was not a whole field.
    private var reachesInside = false
    /// About what the arrays that were taken apart take.
    private(set) var arrayBytes = 0

    init(_ fields: EncodedFields) {
        self.tree = FieldTree(fields)
    }

    /// Nil removes the field.
    mutating func set(_ value: ArraySlice<UInt8>?, at path: FieldPath) throws(DocumentError) {
        self.reachesInside = self.reachesInside || path.segments.count > 1
        try self.putBack(overlapping: path)
        if let value {
            try self.tree.set(.encoded(value), at: path)
        } else {
            self.tree.remove(at: path)
        }
    }

    /// Gives the transform's result.
    mutating func apply(_ transform: FieldTransform, requestTime: Timestamp) throws(DocumentError) -> Value {
        let path = transform.path
        self.reachesInside = self.reachesInside || path.segments.count > 1 || transform.operation.isOfArray
        if transform.operation.isOfArray {
            if self.arrays[path] == nil {
                try self.putBack(overlapping: path)
                let array = ArrayEdit(self.tree.value(at: path))
                self.arrayBytes += array.bytes
                self.arrays[path] = array
            }
            transform.apply(to: &self.arrays[path, default: ArrayEdit(nil)])
            return .null
        }
        try self.putBack(overlapping: path)
        let (new, result) = transform.applied(to: self.tree.value(at: path), requestTime: requestTime)
        try self.tree.set(.value(new), at: path)
        return result
    }

    /// Throws when the fields nest too deep, or otherwise cannot be a document's together.
    consuming func finish() throws(DocumentError) -> EncodedFields {
        for (path, array) in self.arrays { try self.tree.set(.value(array.value), at: path) }
        let encoded = self.tree.encoded()
        // Values that were each legal can make an illegal document where they meet: too deep, a vector in
        // an array, an array longer than a value may be. What only replaced whole fields cannot.
        return self.reachesInside ? try EncodedFields(validating: encoded.bytes) : encoded
    }

    private mutating func putBack(overlapping path: FieldPath) throws(DocumentError) {
        if self.arrays.isEmpty { return }
        for (other, array) in self.arrays where other.overlaps(path) {
            try self.tree.set(.value(array.value), at: other)
            self.arrays[other] = nil
        }
    }
}

extension FieldPath {
    /// Whether one of them is the other or leads to it.
    fileprivate func overlaps(_ other: FieldPath) -> Bool {
        let count = min(self.segments.count, other.segments.count)
        return self.segments.prefix(count) == other.segments.prefix(count)
    }
}
