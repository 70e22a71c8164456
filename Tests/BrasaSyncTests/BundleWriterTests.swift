import BrasaBytes
import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct BundleWriterTests {
    private static let values: [Value] = [
        .null, .boolean(true), .integer(.min), .integer(.max), .double(-0.0), .double(.nan), .double(.infinity),
        .double(-.infinity), .double(.leastNonzeroMagnitude), .double(1.5e300), .double(3), .string(""), .bytes([]),
        .array([]),
        .map([]),
        .string("\"\\/\u{8}\u{0}\u{1f}\u{7f}é\u{65}\u{301}😀\u{2028}"), .bytes(Array(0...255)), .bytes([1]),
        .bytes([1, 2]), .timestamp(.earliest), .timestamp(.latest), .geoPoint(latitude: -90, longitude: 0.1),
        .array([.integer(1), .map([Value.MapEntry(key: "a", value: .array([]))])]),
    ]

    private func document(_ fields: EncodedFields, _ version: Int64) -> Document {
        let time = Timestamp(microseconds: version)
        return Document(fields: fields, createTime: Timestamp(microseconds: 1), updateTime: time)
    }

    private func time(_ microseconds: Int64) -> Timestamp { Timestamp(microseconds: microseconds) }

    private func query(_ json: String) throws -> BundleQuery {
        try BundleQuery(name: "q", json: Array(json.utf8), database: SpecModel.database())
    }

    @Test func `What is written is read`() throws {
        let database = try SpecModel.database()
        var names = Self.values.enumerated().map { Value.MapEntry(key: UTF8Text("f\($0.offset)"), value: $0.element) }
        let other = DocumentName(database: database, path: try path("c/other"))
        names.append(Value.MapEntry(key: "ref", value: .reference(try #require(other))))
        names.append(Value.MapEntry(key: "\u{e9}", value: .integer(1)))
        names.append(Value.MapEntry(key: "e\u{301}", value: .integer(2)))
        let all = EncodedFields(encoding: names)
        var writer = BundleWriter(id: "b\"é", database: database)
        writer.add(try path("c/all"), self.document(all, 5), readTime: self.time(10))
        writer.add(try path("c/none"), nil, readTime: self.time(11))
        let query = try self.query(#"{"from":[{"collectionId":"c"}]}"#)
        let isNew = writer.add(query, results: [(try path("c/all"), self.document(all, 5))], readTime: self.time(12))
        #expect(isNew)
        let bytes = writer.finish()
        let bundle = try Bundle(bytes, database: database)
        #expect(bundle.metadata.id == "b\"é")
        #expect(bundle.metadata.createTime == self.time(12))
        #expect(bundle.metadata.documentCount == 2)
        #expect(bundle.entries.map(\.document.path.string) == ["c/all", "c/none"])
        #expect(bundle.entries.map(\.document.kind) == [.found(all), .missing])
        #expect(bundle.entries[0].document.version == self.time(5))
        #expect(bundle.entries.map(\.document.readTime) == [self.time(12), self.time(11)])
        #expect(bundle.entries.map(\.queries) == [["q"], []])
        #expect(bundle.queries.map(\.name) == ["q"])
        #expect(bundle.queries.map(\.query) == [try collection("c")])
        #expect(bundle.queries.map(\.readTime) == [self.time(12)])
        // The metadata's totals are those of everything after it.
        #expect(Int64(bytes.count) - bundle.metadata.byteCount == Int64(try self.firstLength(bytes)))
        #expect(bundle.entries.last?.endOffset == bundle.metadata.byteCount)
    }

    /// Of the first element with its length.
    private func firstLength(_ bytes: [UInt8]) throws -> Int {
        let digits = bytes.prefix { $0 != UInt8(ascii: "{") }
        return digits.count + (try #require(Int(String(decoding: digits, as: UTF8.self))))
    }

    @Test func `An empty bundle is one`() throws {
        let database = try SpecModel.database()
        let bundle = try Bundle(BundleWriter(id: "b", database: database).finish(), database: database)
        #expect(bundle.entries.isEmpty)
        #expect(bundle.metadata.byteCount == 0)
    }

    @Test func `Of one document's states the last that was read counts`() throws {
        let database = try SpecModel.database()
        var writer = BundleWriter(id: "b", database: database)
        for (version, readTime) in [(Int64(5), Int64(10)), (7, 12), (6, 11)] {
            let fields = fields(["n": .integer(version)])
            writer.add(try path("c/a"), self.document(fields, version), readTime: self.time(readTime))
        }
        let bundle = try Bundle(writer.finish(), database: database)
        #expect(bundle.entries.map(\.document.version) == [self.time(7)])
        #expect(bundle.metadata.createTime == self.time(12))
    }

    @Test func `A name is a query's own, and collections are no documents`() throws {
        var writer = BundleWriter(id: "b", database: try SpecModel.database())
        let query = try self.query(#"{"from":[{"collectionId":"c"}]}"#)
        let first = writer.add(query, results: [], readTime: self.time(1))
        let second = writer.add(query, results: [], readTime: self.time(1))
        #expect(first)
        #expect(!second)
        let collection = writer.add(try path("c"), nil, readTime: self.time(1))
        #expect(!collection)
    }

    @Test(arguments: [
        #"{"from":[{"collectionId":"c","allDescendants":true}],"limit":3}"#,
        #"{"structuredQuery":{"from":[{"collectionId":"c"}],"orderBy":[{"field":{"fieldPath":"a.`b c`"},"#
            + #""direction":"DESCENDING"}],"startAt":{"values":[{"integerValue":"1"}],"before":true},"#
            + #""endAt":{"values":[{"stringValue":"x"}]},"limit":{"value":2}},"limitType":"LAST","parent":"d/e"}"#,
        #"{"from":[{"collectionId":"c"}],"where":{"compositeFilter":{"op":"OR","filters":[{"fieldFilter":{"#
            + #""field":{"fieldPath":"a"},"op":"ARRAY_CONTAINS_ANY","value":{"arrayValue":{"values":[{"nullValue":"#
            + #"null}]}}}},{"unaryFilter":{"field":{"fieldPath":"b"},"op":"IS_NOT_NULL"}}]}}}"#,
    ])
    func `A query comes back as it went`(_ json: String) throws {
        let database = try SpecModel.database()
        let query = try self.query(json)
        var writer = BundleWriter(id: "b", database: database)
        _ = writer.add(query, results: [], readTime: self.time(1))
        let read = try #require(try Bundle(writer.finish(), database: database).queries.first)
        let wanted = try SyncQuery(
            query.query,
            parent: query.parent.path,
            limitType: query.limitType,
            database: database
        )
        #expect(read.query == wanted)
        #expect(read.query.order == wanted.order)
    }

    @Test func `Every operator has a name`() {
        for number in Int32(1)...10 {
            let known = StructuredQuery.Filter.FieldOperator(rawValue: number)
            #expect(StructuredQuery.Filter.FieldOperator(protocolName: known?.protocolName) == known)
        }
        for number in Int32(2)...5 {
            let known = StructuredQuery.Filter.UnaryOperator(rawValue: number)
            #expect(StructuredQuery.Filter.UnaryOperator(protocolName: known?.protocolName) == known)
        }
        #expect(StructuredQuery.Filter.FieldOperator(protocolName: "LIKE") == nil)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"from":[]}"#, #"{"from":[{"collectionId":"c"}],"offset":1}"#,
        #"{"from":[{"collectionId":"c"}],"select":{"fields":[]}}"#,
        #"{"structuredQuery":{"from":[{"collectionId":"c"}]},"parent":"c"}"#,
        #"{"structuredQuery":{"from":[{"collectionId":"c"}]},"parent":"projects/x/databases/y/documents/c/d"}"#,
        #"{"from":[{"collectionId":"c"}],"where":{"fieldFilter":{"field":{"fieldPath":"a"},"op":"LIKE","#
            + #""value":{"integerValue":"1"}}}}"#,
    ])
    func `What cannot be a bundle's query is refused`(_ json: String) {
        #expect(throws: BundleQueryError.self) { try self.query(json) }
    }

    @Test func `Times are written as they are read`() {
        var random = SeededRandom(seed: 1)
        let range = Timestamp.earliest.microseconds...Timestamp.latest.microseconds
        var times = (0..<2_000).map { _ in Int64.random(in: range, using: &random) }
        times += times.map { $0 / 1_000 * 1_000 } + times.map { $0 / 1_000_000 * 1_000_000 }
        times += [range.lowerBound, range.upperBound, 0, -1, 951_782_400_000_000, 951_868_800_000_000]
        for microseconds in times {
            var writer = JSONWriter()
            writer.timestamp(Timestamp(microseconds: microseconds))
            #expect(JSONValue(writer.bytes[...])?.timestamp == Timestamp(microseconds: microseconds))
        }
    }
}
