internal import BrasaDocuments
internal import BrasaQueries
internal import BrasaSync

extension Query {
    /// Of the results those whose vectors are nearest to a given one, nearest first, found by the server.
    ///
    /// - Parameters:
    ///   - vectorField: The field that holds a document's vector. Documents without one, or with one of another dimension,
    ///     are no results.
    ///   - limit: How many results there are at most; the server allows 1,000.
    ///   - distanceResultField: The field of the results that is to hold the distance; none unless it is given.
    ///   - distanceThreshold: Farther documents are no results; of `dotProduct` those with a smaller product.
    @discardableResult
    public func findNearest(
        vectorField: String,
        queryVector: VectorValue,
        limit: Int,
        distanceMeasure: DistanceMeasure,
        distanceResultField: String? = nil,
        distanceThreshold: Double? = nil
    ) -> VectorQuery {
        self.findNearest(
            vectorField: FieldPath(text: vectorField),
            queryVector: queryVector,
            limit: limit,
            distanceMeasure: distanceMeasure,
            distanceResultField: distanceResultField,
            distanceThreshold: distanceThreshold
        )
    }

    @discardableResult
    public func findNearest(
        vectorField: FieldPath,
        queryVector: VectorValue,
        limit: Int,
        distanceMeasure: DistanceMeasure,
        distanceResultField: String? = nil,
        distanceThreshold: Double? = nil
    ) -> VectorQuery {
        let nearest = Result { () throws(UsageError) in
            guard limit > 0, let limit = Int32(exactly: limit) else {
                throw UsageError("A limit must be positive, but was \(limit).")
            }
            return StructuredQuery.FindNearest(
                vectorField: try vectorField.stored,
                queryVector: try self.reader.value(queryVector),
                distanceMeasure: distanceMeasure.stored,
                limit: limit,
                distanceResultField: UTF8Text(distanceResultField ?? ""),
                distanceThreshold: distanceThreshold
            )
        }
        return VectorQuery(query: self, nearest: nearest)
    }
}

/// How far two vectors are apart.
public enum DistanceMeasure: Hashable, Sendable {
    /// The length of their difference.
    case euclidean
    /// One minus the cosine of the angle between them, whatever their lengths: 0 to 2. None of them may be zero.
    case cosine
    /// Their dot product, the greater the nearer: for vectors of length 1 the same order as `cosine`, for less work.
    case dotProduct

    var stored: StructuredQuery.FindNearest.DistanceMeasure {
        switch self {
        case .euclidean: .euclidean
        case .cosine: .cosine
        case .dotProduct: .dotProduct
        }
    }
}

/// A query for the documents whose vectors are nearest to a given one. Cache and queued writes play no part in it, and
/// nobody can listen to it.
public final class VectorQuery: Sendable {
    /// The query among whose results the nearest are looked for. Limits, offsets and cursors are not for this one.
    public let query: Query
    private let nearest: Result<StructuredQuery.FindNearest, UsageError>

    init(query: Query, nearest: Result<StructuredQuery.FindNearest, UsageError>) {
        self.query = query
        self.nearest = nearest
    }

    /// Asks the server, for the results as they are or, with a time, as they were then.
    @discardableResult
    nonisolated(nonsending) public func getDocuments(
        readTime: Timestamp? = nil
    ) async throws -> VectorQuerySnapshot {
        let core = try throwing { () throws(UsageError) in try self.query.firestore.core() }
        let request = try throwing { () throws(UsageError) in try self.structured() }
        let time = try throwing { () throws(UsageError) in try readTime?.stored }
        do throws(CallFailure) {
            let calls = try core.callsForReading()
            let page = try await calls.results(request, parent: self.query.definition.parent, at: time)
            return VectorQuerySnapshot(query: self, page)
        } catch {
            throw error.error.nsError
        }
    }

    private func structured() throws(UsageError) -> StructuredQuery {
        var query = try self.query.definition.structuredAsAsked()
        query.findNearest = try self.nearest.get()
        return query
    }
}

extension VectorQuery: Hashable {
    public static func == (left: VectorQuery, right: VectorQuery) -> Bool {
        left.query == right.query && left.nearest == right.nearest
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.query)
        hasher.combine(self.nearest)
    }
}

/// The documents that the server has found nearest.
public final class VectorQuerySnapshot: Sendable {
    public let query: VectorQuery
    /// The nearest first.
    public let documents: [QueryDocumentSnapshot]
    /// When the server has looked; nil when it did not say.
    public let readTime: Timestamp?

    init(query: VectorQuery, _ page: ResultPage) {
        self.query = query
        self.documents = page.snapshots(query.query.firestore)
        self.readTime = page.readTime.map { Timestamp($0) }
    }

    public var isEmpty: Bool { self.documents.isEmpty }
    public var count: Int { self.documents.count }
}
