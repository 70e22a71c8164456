import BrasaDocuments
import BrasaQueries
import BrasaStatus
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct BundleTests {
    private static let database = "projects/test-project/databases/(default)"

    private static func element(_ json: String) -> String { "\(json.utf8.count)\(json)" }

    private static func metadata(documents: Int, version: Int = 1) -> String {
        self.element(
            #"{"metadata":{"id":"b","createTime":{"seconds":5},"version":\#(version),"totalDocuments":\#(documents),"#
                + #""totalBytes":"10"}}"#
        )
    }

    private static func head(_ path: String, exists: Bool = true) -> String {
        self.element(
            #"{"documentMetadata":{"name":"\#(self.database)/documents/\#(path)","#
                + #""readTime":"1970-01-01T00:00:06.5Z","exists":\#(exists),"queries":["q"]}}"#
        )
    }

    private static func document(_ path: String, _ fields: String) -> String {
        self.element(
            #"{"document":{"name":"\#(self.database)/documents/\#(path)","createTime":{"seconds":1},"#
                + #""updateTime":{"seconds":2,"nanos":1000},"fields":\#(fields)}}"#
        )
    }

    private static let query = element(
        #"{"namedQuery":{"name":"q","readTime":{"seconds":6},"bundledQuery":{"parent":"\#(database)/documents","#
            + #""structuredQuery":{"from":[{"collectionId":"c"}],"where":{"fieldFilter":{"field":{"fieldPath":"n"},"#
            + #""op":"EQUAL","value":{"integerValue":"1"}}},"orderBy":[{"field":{"fieldPath":"n"}}],"#
            + #""limit":{"value":3}},"limitType":"LAST"}}}"#
    )

    private static let whole =
        metadata(documents: 2) + query + head("c/a")
        + document("c/a", #"{"n":{"integerValue":"1"},"t":{"stringValue":"\u00e9\ud83d\ude00\n"}}"#)
        + head("c/gone", exists: false)

    private func load(_ test: TestClient, _ text: String) -> Result<BundleProgress, SyncError>? {
        var result: Result<BundleProgress, SyncError>?
        test.client.loadBundle(Array(text.utf8)) { result = $0 }
        test.settle()
        return result
    }

    @Test func `A bundle brings documents and named queries, once`() throws {
        let test = try TestClient()
        var steps: [Int64] = []
        test.client.loadBundle(Array(Self.whole.utf8), progress: { steps.append($0.documentsLoaded) }) { _ in }
        #expect(steps == [0, 1, 2])
        let document = try test.engine.local.readDocument(at: try path("c/a"))
        #expect(document.version == Timestamp(microseconds: 2_000_001))
        #expect(document.readTime == Timestamp(microseconds: 6_500_000))
        #expect(document.fields == fields(["n": .integer(1), "t": .string("é😀\n")]))
        #expect(try test.engine.local.readDocument(at: try path("c/gone")).kind == .missing)
        let query = try #require(test.client.namedQuery("q"))
        #expect(query.limit == 3)
        #expect(query.limitType == .last)
        test.listen(query)
        #expect(
            test.transport.watch?.active.values.first?.resumption == .readTime(Timestamp(microseconds: 6_000_000))
        )
        steps = []
        test.client.loadBundle(Array(Self.whole.utf8), progress: { steps.append($0.documentsLoaded) }) { _ in }
        #expect(steps == [])
    }

    @Test func `Listeners see what a bundle has brought even when its queries cannot be stored`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        test.listen(try collection("c"))
        // The first target is that of the documents.
        test.storage.sizeWatch = SizeWatch(bytesMax: 0) { [unowned storage = test.storage] in
            storage.failing = [.allocateTarget]
        }
        #expect(throws: SyncError.self) { try self.load(test, Self.whole)?.get() }
        #expect(test.log == ["[added c/a] (cached)"])
        test.storage.sizeWatch = nil
        test.storage.failing = []
        _ = try self.load(test, Self.whole)?.get()
        #expect(test.log == ["[added c/a] (cached)"])
        #expect(try test.engine.local.namedQuery("q") != nil)
    }

    @Test func `What a known client library writes is read: empty elements, and queries whose parent is their name`()
        throws
    {
        func query(_ from: String) -> String {
            Self.element(
                #"{"namedQuery":{"name":"q","readTime":{"seconds":6},"bundledQuery":{"parent":"q","structuredQuery":"#
                    + #"{"from":[\#(from)]}}}}"#
            )
        }
        let group = query(#"{"collectionId":"c","allDescendants":true}"#)
        let rest = Self.head("d/e/c/a") + Self.document("d/e/c/a", "{}") + Self.head("c/gone", exists: false) + "2{}"
        let database = try SpecModel.database()
        for (named, parent) in [(query(#"{"collectionId":"c"}"#), "d/e"), (group, "")] {
            let bundle = try Bundle(Array((Self.metadata(documents: 2) + named + rest).utf8), database: database)
            #expect(bundle.entries.count == 2)
            #expect(bundle.queries.first?.query.names?.parent == (parent.isEmpty ? .root : try path(parent)))
        }
    }

    @Test func `No part of a bundle is a bundle, and it changes nothing`() throws {
        let bytes = Array(Self.whole.utf8)
        for length in 0..<bytes.count {
            let test = try TestClient()
            var failure: SyncError?
            test.client.loadBundle(Array(bytes[..<length])) { result in
                if case .failure(let error) = result { failure = error }
            }
            #expect(failure?.code == .unknown, "\(length) bytes")
            #expect(try !test.engine.local.readDocument(at: try path("c/a")).isValid)
        }
    }

    @Test func `Any byte can be another one without harm`() throws {
        let bytes = Array(Self.whole.utf8)
        let database = try SpecModel.database()
        for index in bytes.indices {
            for byte in [UInt8(ascii: "\""), UInt8(ascii: "9"), 0xFF] {
                var changed = bytes
                changed[index] = byte
                _ = try? Bundle(changed, database: database)
            }
        }
    }

    @Test(arguments: [
        "", "x", "9999999999999999{}", "2{}", "-2{}", element(#"{"document":{}}"#),
        metadata(documents: 0, version: 2), metadata(documents: 1),
        metadata(documents: 1) + document("c/a", "{}"),
        metadata(documents: 1) + head("c/a") + document("c/b", "{}"),
        metadata(documents: 1) + head("c/a") + query + document("c/a", "{}"),
        metadata(documents: 1) + head("c/a") + document("c/a", #"{"__x__":{"nullValue":null}}"#),
        metadata(documents: 1) + head("c/a") + document("c/a", #"{"n":{}}"#),
    ])
    func `What is no bundle is refused`(_ text: String) throws {
        let database = try SpecModel.database()
        #expect(throws: BundleError.self) { try Bundle(Array(text.utf8), database: database) }
    }

    @Test(arguments: [
        ("0", JSONValue.number("0")), (" [ 1 , -2.5e3 ] ", .array([.number("1"), .number("-2.5e3")])),
        (#"{"a":{"b":null},"c":[]}"#, .object(["a": .object(["b": .null]), "c": .array([])])),
        (#""\"\\\/\b\f\n\r\t\u0041""#, .string("\"\\/\u{8}\u{c}\n\r\tA")), ("true", .boolean(true)),
    ])
    func `JSON is read`(_ text: String, _ value: JSONValue) {
        #expect(JSONValue(Array(text.utf8)[...]) == value)
    }

    @Test(arguments: [
        "", "{", "[1,]", #"{"a"}"#, #"{"a":1,}"#, "tru", "1 2", "+1", "--1", #""\u12"#, #""\ud800""#, #""\x""#,
        "\"\n\"",
        String(repeating: "[", count: 10_000),
    ])
    func `What is no JSON is refused`(_ text: String) {
        #expect(JSONValue(Array(text.utf8)[...]) == nil)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", Int64(0)), ("1969-12-31T23:59:59.999999Z", -1),
        ("2000-02-29T12:00:00.5Z", 951_825_600_500_000), ("2024-12-31T23:59:59Z", 1_735_689_599_000_000),
        ("0001-01-01T00:00:00Z", Timestamp.earliest.microseconds),
        ("9999-12-31T23:59:59.999999999Z", Timestamp.latest.microseconds),
    ])
    func `Times are read`(_ text: String, _ microseconds: Int64) {
        #expect(JSONValue.string(text).timestamp == Timestamp(microseconds: microseconds))
    }

    @Test func `Bytes are read in both alphabets, with and without padding`() {
        for text in ["+/8=", "-_8", "+/8"] { #expect(JSONValue.string(text).bytes == [0xFB, 0xFF]) }
        for text in ["A", "====A", "a b="] { #expect(JSONValue.string(text).bytes == nil) }
    }
}
