/// A document's fields under the merges and transforms of one commit. Each costs what it says, not what the document holds:
/// the fields are taken apart once and put together once, and so is every array that is transformed.
struct FieldDraft: Sendable {
    private var tree: FieldTree
    /// Transformed so far and not in the tree yet.
    private var arrays = ArrayEdits()
    /// Something was set that was not a whole field.
    private var reachesInside = false
    private var arrayBytes = 0

    /// About what the arrays and maps that were taken apart take beside their own bytes.
    var workBytes: Int { self.arrayBytes + self.tree.entryCount * WorkBytes.field }

    init(_ fields: EncodedFields) {
        self.tree = FieldTree(fields)
    }

    /// Nil removes the field.
    mutating func set(_ value: BytePart?, at path: FieldPath) throws(DocumentError) {
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
            let known = self.arrays.index(of: path)
            let index = if let known { known } else { try self.takeApart(path) }
            transform.apply(to: &self.arrays[index])
            return .null
        }
        try self.putBack(overlapping: path)
        let (new, result) = transform.applied(to: self.tree.value(at: path), requestTime: requestTime)
        try self.tree.set(.value(new), at: path)
        return result
    }

    /// Throws when the fields nest too deep, or otherwise cannot be a document's together.
    consuming func finish() throws(DocumentError) -> EncodedFields {
        for (path, array) in self.arrays.takeAll() { try self.tree.set(.value(array.value), at: path) }
        let encoded = self.tree.encoded()
        // Values that were each legal can make an illegal document where they meet: too deep, a vector in
        // an array, an array longer than a value may be. What only replaced whole fields cannot.
        return self.reachesInside ? try encoded.validated() : encoded
    }

    /// Where the array is among those that are under transforms.
    private mutating func takeApart(_ path: FieldPath) throws(DocumentError) -> Int {
        try self.putBack(overlapping: path)
        let array = ArrayEdit(self.tree.value(at: path))
        self.arrayBytes += array.workBytes
        return self.arrays.insert(array, at: path)
    }

    private mutating func putBack(overlapping path: FieldPath) throws(DocumentError) {
        for (other, array) in self.arrays.take(overlapping: path) {
            try self.tree.set(.value(array.value), at: other)
        }
    }
}
