package import BrasaDocuments

/// Keeps the nearest of the documents that it is given. Holds at most the query's limit of documents.
package struct NearestAccumulator: Sendable {
    package struct Result: Sendable {
        package let path: ResourcePath
        /// As stored, without the distance.
        package let document: Document
        package let distance: Double
    }

    private let query: NearestQuery
    /// The query's vector; for cosines its direction, and the square of that.
    private let wanted: [Double]
    private let square: Double
    /// Of the document being looked at.
    private var vector: [Double] = []
    /// A heap with the farthest result on top.
    private var heap: [Result] = []

    package init(_ query: NearestQuery) {
        self.query = query
        var wanted = query.vector
        self.square = query.measure == .cosine ? VectorMath.square(ofDirection: &wanted) : 0
        self.wanted = wanted
    }

    /// Documents without a vector of the query's dimension are left out. Throws for a vector that has no direction when
    /// directions are compared.
    package mutating func add(path: ResourcePath, document: Document) throws(QueryError) {
        guard let value = document.fields.encodedValue(at: self.query.field),
            EncodedValue(canonical: value).readVector(into: &self.vector), self.vector.count == self.wanted.count
        else { return }
        let distance = try self.distanceToVector()
        guard self.isWithinThreshold(distance) else { return }
        let result = Result(path: path, document: document, distance: distance)
        if self.heap.count < self.query.limit {
            self.heap.append(result)
            self.siftUp()
        } else if self.isNearer(result, self.heap[0]) {
            self.heap[0] = result
            self.siftDown()
        }
    }

    /// The nearest first; of equally near ones in the order of names.
    package var results: [Result] {
        self.heap.sorted(by: self.isNearer)
    }

    /// A result's document as it is returned, before projection.
    package func returned(_ result: Result) -> Document {
        guard let name = self.query.resultField else { return result.document }
        var document = result.document
        document.fields = document.fields.setting(name, to: .double(result.distance))
        return document
    }

    private mutating func distanceToVector() throws(QueryError) -> Double {
        switch self.query.measure {
        case .euclidean: return VectorMath.distance(self.vector, self.wanted)
        case .dotProduct: return VectorMath.dot(self.vector, self.wanted)
        case .cosine:
            let square = VectorMath.square(ofDirection: &self.vector)
            guard square != 0 else { throw QueryError(.zeroMagnitude) }
            // One root of both squares is exact for a vector and itself, whose distance is then 0.
            return 1 - VectorMath.dot(self.vector, self.wanted) / (square * self.square).squareRoot()
        }
    }

    private func isWithinThreshold(_ distance: Double) -> Bool {
        guard let threshold = self.query.threshold else { return true }
        return self.query.measure == .dotProduct ? distance >= threshold : distance <= threshold
    }

    /// A distance that is not a number is farther than all others.
    private func isNearer(_ left: Result, _ right: Result) -> Bool {
        if left.distance == right.distance || left.distance.isNaN && right.distance.isNaN {
            return left.path < right.path
        }
        if left.distance.isNaN || right.distance.isNaN { return right.distance.isNaN }
        return self.query.measure == .dotProduct ? left.distance > right.distance : left.distance < right.distance
    }

    private mutating func siftUp() {
        var child = self.heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard self.isNearer(self.heap[parent], self.heap[child]) else { return }
            self.heap.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < self.heap.count else { return }
            if child + 1 < self.heap.count, self.isNearer(self.heap[child], self.heap[child + 1]) { child += 1 }
            guard self.isNearer(self.heap[parent], self.heap[child]) else { return }
            self.heap.swapAt(parent, child)
            parent = child
        }
    }
}

extension EncodedFields {
    fileprivate func setting(_ name: UTF8Text, to value: Value) -> EncodedFields {
        EncodedFields(encoding: self.decoded + [Value.MapEntry(key: name, value: value)])
    }
}
