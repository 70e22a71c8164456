import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Testing

struct NearestTests {
    private typealias Nearest = StructuredQuery.FindNearest

    private static func nearest(_ change: (inout StructuredQuery.FindNearest) throws -> Void = { _ in }) throws
        -> StructuredQuery.FindNearest
    {
        var nearest = Nearest(
            vectorField: try field("v"),
            queryVector: .vector([1, 2]),
            distanceMeasure: .euclidean,
            limit: 3
        )
        try change(&nearest)
        return nearest
    }

    private func refusal(_ change: (inout StructuredQuery) throws -> Void) throws -> QueryError? {
        let query = try structured { query in
            query.findNearest = try Self.nearest()
            try change(&query)
        }
        let parent = try parent()
        do throws(QueryError) {
            _ = try Query(query, parent: parent)
            return nil
        } catch {
            return error
        }
    }

    @Test func `What a search for neighbours may not be`() throws {
        let limit = "FindNearest.limit must be a positive integer of no more than 1000"
        let rules: [(text: String?, change: (inout StructuredQuery) throws -> Void)] = [
            (nil, { _ in }),
            (nil, { $0.filter = try .field("a", .greaterThan, .integer(1)) }),
            ("A query limit cannot be used with FindNearest", { $0.limit = 1 }),
            ("A query offset cannot be used with FindNearest", { $0.offset = 1 }),
            ("Query cursors cannot be used with FindNearest", { $0.startAt = .init(values: [], before: true) }),
            ("Invalid empty property path string.", { $0.findNearest?.vectorField = nil }),
            ("FindNearest.query_vector must be a vector.", { $0.findNearest?.queryVector = nil }),
            ("FindNearest.query_vector must be a vector.", { $0.findNearest?.queryVector = .array([.double(1)]) }),
            ("Cannot have a zero length vector.", { $0.findNearest?.queryVector = .vector([]) }),
            (
                "Vectors must be at most 2048 dimensions.",
                { $0.findNearest?.queryVector = .vector(Array(repeating: 1, count: 2049)) }
            ),
            ("Unknown Distance Measure.", { $0.findNearest?.distanceMeasure = .unspecified }),
            (limit, { $0.findNearest?.limit = nil }),
            (limit, { $0.findNearest?.limit = 0 }),
            (limit, { $0.findNearest?.limit = 1001 }),
            (nil, { $0.findNearest?.limit = 1000 }),
            ("field name __name__ is reserved", { $0.findNearest?.distanceResultField = "__name__" }),
        ]
        for (text, change) in rules { #expect(try self.refusal(change)?.message == text) }
        let flat = try self.refusal {
            $0.findNearest?.distanceMeasure = .cosine
            $0.findNearest?.queryVector = .vector([0, 0])
        }
        #expect(flat?.code == .failedPrecondition)
        #expect(flat?.message == "Cannot compute cosine distance against a vector with a magnitude of zero.")
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `The nearest are those of the model, at the same distances`(seed: UInt64) throws {
        var generator = QueryCaseGenerator(seed: seed, database: testDatabase)
        for _ in 0..<300 {
            let documents = generator.documents(count: generator.random.below(40))
            let wanted = generator.vector()
            let query = try structured { query in
                query.from = [.init(collectionID: "c", allDescendants: true)]
                query.findNearest = try Self.nearest {
                    $0.queryVector = wanted
                    $0.distanceMeasure = generator.random.pick([.euclidean, .cosine, .dotProduct])
                    $0.limit = Int32(1 + generator.random.below(5))
                    $0.distanceThreshold = generator.random.chance(2) ? 0.5 : nil
                }
            }
            let expected = QueryModel(query, parent: try parent()).nearest(among: documents)
            let found = try self.found(query, documents)
            guard found != expected.map({ $0.map { Found(path: $0.document.path, distance: $0.distance) } }) else {
                continue
            }
            Issue.record("seed \(seed): \(found ?? []) of \(query.text(parent: try parent())) in \(documents)")
            return
        }
    }

    @Test(arguments: [[1, 2], [0.1, 0.3, 0.7], [3, -4, 5, 1e-3], [1e100, 3e100]])
    func `A vector has no cosine distance from itself`(vector: [Double]) throws {
        let query = try structured { query in
            query.findNearest = try Self.nearest {
                $0.queryVector = .vector(vector)
                $0.distanceMeasure = .cosine
            }
        }
        let entries = [Value.MapEntry(key: UTF8Text("v"), value: .vector(vector))]
        let found = try self.found(query, [ModelDocument(path: try path("c/1"), entries: entries)])
        // Squares of large numbers leave the range of numbers when they are multiplied.
        let tolerance = vector[0] < 1e100 ? 0 : 1e-15
        #expect(found?.count == 1 && found?.allSatisfy { abs($0.distance) <= tolerance } == true)
    }

    private struct Found: Equatable {
        var path: ResourcePath
        var distance: Double
    }

    /// Nil when a vector without direction made it fail.
    private func found(_ structured: StructuredQuery, _ documents: [ModelDocument]) throws -> [Found]? {
        let query: Query
        let parent = try parent()
        do throws(QueryError) { query = try Query(structured, parent: parent) } catch { return nil }
        guard let nearest = query.nearest else { return nil }
        var accumulator = NearestAccumulator(nearest)
        for document in documents where query.matches(path: document.path, fields: document.fields) {
            let stored = Document(
                fields: document.fields,
                createTime: Timestamp(microseconds: 1),
                updateTime: Timestamp(microseconds: 1)
            )
            do throws(QueryError) {
                try accumulator.add(path: document.path, document: stored)
            } catch {
                #expect(error.reason == .zeroMagnitude)
                return nil
            }
        }
        return accumulator.results.map { Found(path: $0.path, distance: $0.distance) }
    }

    private func distance(
        _ measure: StructuredQuery.FindNearest.DistanceMeasure,
        from wanted: [Double],
        to vector: Value
    ) throws -> Double? {
        let query = try structured { query in
            query.from = [.init(collectionID: "c")]
            query.findNearest = try Self.nearest {
                $0.queryVector = .vector(wanted)
                $0.distanceMeasure = measure
            }
        }
        let document = ModelDocument(path: try path("c/a"), entries: [.init(key: "v", value: vector)])
        return try self.found(query, [document])?.first?.distance
    }

    @Test func `Distances are numbers whatever the size of the components`() throws {
        for size in [.leastNonzeroMagnitude, 0x1p-1030, 1e-200, 1e-170, 1e-3, 1, 1e150, 1e200, 1e300] as [Double] {
            let (x, y) = ([3 * size, 0, 0], Value.vector([0, 4 * size, 0]))
            let distance = try #require(try self.distance(.euclidean, from: x, to: y))
            #expect(abs(distance - 5 * size) <= 5e-12 * size)
            #expect(try self.distance(.euclidean, from: x, to: .vector(x)) == 0)
            for other in [.leastNonzeroMagnitude, 1, 1e300] as [Double] {
                for (y, expected) in [([0, other, 0], 1), ([other, 0, 0], 0), ([-other, 0, 0], 2)]
                    as [([Double], Double)]
                {
                    let distance = try #require(try self.distance(.cosine, from: x, to: .vector(y)))
                    #expect(abs(distance - expected) <= 1e-15)
                }
            }
        }
        let far = [1.7e308, 0, 0]
        #expect(try self.distance(.euclidean, from: far, to: .vector([-1.7e308, 0, 0])) == .infinity)
        #expect(try self.distance(.cosine, from: far, to: .vector([.infinity, 0, 0]))?.isNaN == true)
        #expect(try self.distance(.cosine, from: far, to: .vector([0, 0, 0])) == nil)
    }

    @Test func `Components may be integers, and what is no vector has no distance`() throws {
        let mixed = Value.map([
            .init(key: "__type__", value: .string("__vector__")),
            .init(key: "value", value: .array([.double(1), .integer(-300), .double(0.5), .integer(7)])),
        ])
        #expect(try self.distance(.dotProduct, from: [1, 1, 2, 1], to: mixed) == -291)
        for other in [.vector([1, 2, 3]), .array([.double(1)]), .map([]), .string("v"), .null] as [Value] {
            #expect(try self.distance(.euclidean, from: [1, 1, 2, 1], to: other) == nil)
        }
    }

    @Test func `The distance is written over a field of the same name`() throws {
        let query = try Query(
            structured { $0.findNearest = try Self.nearest { $0.distanceResultField = "d" } },
            parent: parent()
        )
        guard let nearest = query.nearest else { return }
        var accumulator = NearestAccumulator(nearest)
        let stored = Document(
            fields: fields(["v": .vector([4, 6]), "d": .string("old"), "z": .null]),
            createTime: Timestamp(microseconds: 1),
            updateTime: Timestamp(microseconds: 2)
        )
        try accumulator.add(path: try path("c/a"), document: stored)
        let results = accumulator.results
        #expect(results.map(\.distance) == [5])
        let returned = results.first.map(accumulator.returned)
        #expect(returned?.fields == fields(["v": .vector([4, 6]), "d": .double(5), "z": .null]))
        #expect(returned?.updateTime == stored.updateTime)
    }
}
