import BrasaBytes
import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaStatus
import BrasaWire
import Testing

@testable import BrasaService

@Suite struct ListingTests {
    let service: ServiceUnderTest

    init() throws {
        self.service = try ServiceUnderTest()
    }

    private func request(_ change: (inout ListDocumentsRequest) throws -> Void = { _ in }) throws
        -> ListDocumentsRequest
    {
        var request = ListDocumentsRequest(parent: try parent(), collectionID: "c")
        try change(&request)
        return request
    }

    /// The paths of each page, following tokens to the end.
    private func pages(_ request: ListDocumentsRequest) throws -> [[String]] {
        var request = request
        var pages: [[String]] = []
        repeat {
            let page = try self.service.list(request).get()
            pages.append(page.documents.paths)
            request.pageToken = page.nextPageToken
        } while !request.pageToken.bytes.isEmpty && pages.count < 100
        return pages
    }

    @Test func `Pages follow the name, and one that ends at the last document has no token`() throws {
        defer { self.service.close() }
        try self.service.commit(["d", "a", "c", "b"].map { try set("c/\($0)") } + [try set("other/x")])
        #expect(try self.pages(self.request { $0.pageSize = 2 }) == [["c/a", "c/b"], ["c/c", "c/d"]])
        #expect(try self.pages(self.request { $0.pageSize = 3 }) == [["c/a", "c/b", "c/c"], ["c/d"]])
        #expect(try self.pages(self.request()) == [["c/a", "c/b", "c/c", "c/d"]])
        #expect(
            try self.pages(
                self.request {
                    $0.pageSize = 3
                    $0.orderBy = "__name__ desc"
                }
            ) == [["c/d", "c/c", "c/b"], ["c/a"]]
        )
    }

    @Test(arguments: [1, 2, 3, 5, 7])
    func `Pages by fields are the whole order in parts, whatever their size`(_ size: Int32) throws {
        defer { self.service.close() }
        let numbers: [(String, Int64)] = [("a", 3), ("b", 1), ("c", 3), ("d", 2), ("e", 1)]
        try self.service.commit(
            numbers.map { try set("c/\($0.0)", [("n", .integer($0.1))]) } + [try set("c/none", [("m", .null)])]
        )
        for (order, expected) in [
            ("n", ["c/b", "c/e", "c/d", "c/a", "c/c"]),
            ("n desc", ["c/c", "c/a", "c/d", "c/e", "c/b"]),
            ("n desc, __name__", ["c/a", "c/c", "c/d", "c/b", "c/e"]),
        ] {
            let pages = try self.pages(
                self.request {
                    $0.pageSize = size
                    $0.orderBy = UTF8Text(order)
                }
            )
            #expect(pages.flatMap { $0 } == expected)
            #expect(pages.allSatisfy { !$0.isEmpty && $0.count <= Int(size) })
        }
    }

    @Test func `Many documents by fields come in order although only a page is kept`() throws {
        defer { self.service.close() }
        let count = 700
        for start in stride(from: 0, to: count, by: 100) {
            try self.service.commit(
                (start..<(start + 100)).map { try set("c/\($0)", [("n", .integer(Int64($0 * 387 % count)))]) }
            )
        }
        let page = try self.service.list(
            self.request {
                $0.pageSize = 5
                $0.orderBy = "n"
            }
        ).get()
        let numbers = page.documents.map { $0.document?.fields }
        #expect(numbers == (0..<5).map { fields([("n", .integer($0))]) })
    }

    @Test func `Pages by fields go on behind values of any type`() throws {
        defer { self.service.close() }
        let values: [Value] = [
            .null, .boolean(true), .double(.nan), .integer(-1), .double(1.5), .timestamp(Timestamp(microseconds: 7)),
            .string("x"), .bytes([0, 255]), .reference(try name("c/x")), .geoPoint(latitude: 1, longitude: 2),
            .array([.integer(1)]), .map([.init(key: "k", value: .null)]),
        ]
        try self.service.commit(values.enumerated().map { try set("c/\(100 + $0.0)", [("v", $0.1)]) })
        let pages = try self.pages(
            self.request {
                $0.pageSize = 1
                $0.orderBy = "v"
            }
        )
        #expect(pages.map { $0.count } == Array(repeating: 1, count: values.count))
        #expect(Set(pages.flatMap { $0 }).count == values.count)
    }

    @Test func `A token by fields whose values are damaged is refused`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("c/a", [("n", .integer(1))]), try set("c/b", [("n", .integer(2))])])
        let request: (UTF8Text) throws -> ListDocumentsRequest = { token in
            try self.request {
                $0.pageSize = 1
                $0.orderBy = "n"
                $0.pageToken = token
            }
        }
        let token = try self.service.list(request("")).get().nextPageToken
        let bytes = try #require(Base64.decode(token.bytes, .url))
        for end in 9..<bytes.count {
            let damaged = UTF8Text(String(decoding: Base64.encode(bytes[..<end], .url, isPadded: false), as: UTF8.self))
            #expect(try self.service.list(request(damaged)).status?.code == .invalidArgument)
        }
        for index in 9..<bytes.count {
            var damaged = bytes
            damaged[index] ^= 0x15
            _ = try self.service.list(
                request(UTF8Text(String(decoding: Base64.encode(damaged, .url, isPadded: false), as: UTF8.self)))
            )
        }
    }

    @Test func `A page by fields in a transaction keeps others out of what it showed`() throws {
        defer { self.service.close() }
        try self.service.commit((1...3).map { try set("c/\($0)", [("n", .integer($0))]) })
        let transaction = try self.service.begin()
        let request = try self.request {
            $0.pageSize = 1
            $0.orderBy = "n"
            $0.consistency = .transaction(transaction)
        }
        #expect(try self.service.list(request).get().documents.paths == ["c/1"])
        let behind = try self.service.tryCommit([try set("c/x", [("n", .integer(9))])])
        #expect(behind.status == .ok)
        let before = try self.service.tryCommit([try set("c/x", [("n", .integer(0))])])
        #expect(before.results.isEmpty)
        try self.service.commit([], transaction: transaction)
        #expect(before.status == .ok)
    }

    @Test(arguments: [false, true])
    func `A page by name in a transaction keeps others out of what it showed`(_ isDescending: Bool) throws {
        defer { self.service.close() }
        try self.service.commit((1...4).map { try set("c/\($0)", [("n", .integer($0))]) })
        let transaction = try self.service.begin()
        let request = try self.request {
            $0.pageSize = 2
            $0.orderBy = isDescending ? "__name__ desc" : ""
            $0.consistency = .transaction(transaction)
        }
        let shown = try self.service.list(request).get().documents.paths
        #expect(shown == (isDescending ? ["c/4", "c/3"] : ["c/1", "c/2"]))
        let behind = try self.service.tryCommit([try set(isDescending ? "c/0" : "c/5")])
        #expect(behind.status == .ok)
        let before = try self.service.tryCommit([try set(isDescending ? "c/5" : "c/0")])
        #expect(before.results.isEmpty)
        try self.service.commit([], transaction: transaction)
        #expect(before.status == .ok)
    }

    @Test(arguments: [false, true])
    func `A listing of a past without the documents lets other calls have their turns`(
        _ isOfCollections: Bool
    ) throws {
        defer { self.service.close() }
        let time = ReadTime(try #require(try self.service.commit([try set("d/a")]).commitTime))
        for batch in 0..<20 {
            let names = try (0..<400).map { try name("c/\(batch)-\($0)") }
            try self.service.commit(names.map { Write(name: $0, operation: .set(.empty)) })
            try self.service.commit(names.map { Write(name: $0, operation: .delete) })
        }
        if isOfCollections {
            let request = ListCollectionIdsRequest(parent: try parent(), readTime: time)
            let answer = try self.service.start { $0.listCollectionIds(request, completion: $1) }
            #expect(try self.service.countTurns() >= 5)
            try self.service.run()
            #expect(try answer.get().collectionIDs == ["d"])
        } else {
            let request = try self.request { $0.consistency = .readTime(time) }
            let answer = try self.service.start { $0.listDocuments(request, completion: $1) }
            #expect(try self.service.countTurns() >= 5)
            try self.service.run()
            #expect(try answer.get().documents.isEmpty)
        }
    }

    @Test func `Missing documents are shown by name without times where they have something below`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("c/a"), try set("c/b/d/x"), try set("c/c/d/y")])
        try self.service.commit([Write(name: try name("c/a"), operation: .delete)])
        let shown = try self.service.list(
            self.request {
                $0.showMissing = true
                $0.mask = []
            }
        ).get()
        #expect(shown.documents.paths == ["c/b", "c/c"])
        #expect(shown.documents.allSatisfy { $0.document == nil })
        #expect(try self.service.list(self.request()).get().documents.isEmpty)
    }

    @Test func `Without a collection id all children of the parent are listed`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("c/a"), try set("b/a"), try set("c/a/d/x")])
        let request = ListDocumentsRequest(parent: try parent(), collectionID: "")
        #expect(try self.service.list(request).get().documents.paths == ["b/a", "c/a"])
    }

    @Test func `A token is good for its own request only`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("c/a"), try set("c/b")])
        let first = try self.service.list(self.request { $0.pageSize = 1 }).get()
        let invalid = GRPCStatus(.invalidArgument, "invalid page token")
        for change in [
            { $0.collectionID = "d" }, { $0.orderBy = "n" }, { $0.showMissing = true },
        ] as [(inout ListDocumentsRequest) -> Void] {
            let request = try self.request {
                $0.pageToken = first.nextPageToken
                change(&$0)
            }
            #expect(try self.service.list(request).status == invalid)
        }
        for token in ["x", "AA", "====", String(decoding: PageToken(fingerprint: 0, last: []).text, as: UTF8.self)] {
            #expect(try self.service.list(self.request { $0.pageToken = UTF8Text(token) }).status == invalid)
        }
    }

    @Test func `A token that names no document is refused rather than taken for the beginning`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("c/a"), try set("c/b")])
        let first = try self.service.list(self.request { $0.pageSize = 1 }).get()
        let bytes = try #require(Base64.decode(first.nextPageToken.bytes, .url))
        for last in ["", "c", "/", "c//a", "c/a/d"] {
            let token = Base64.encode(bytes.prefix(9) + Array(last.utf8), .url, isPadded: false)
            let request = try self.request { $0.pageToken = UTF8Text(String(decoding: token, as: UTF8.self)) }
            #expect(try self.service.list(request).status?.code == .invalidArgument, "\(last)")
        }
    }

    @Test func `What cannot be is refused by its text`() throws {
        defer { self.service.close() }
        #expect(
            try self.service.list(self.request { $0.pageSize = -1 }).status
                == GRPCStatus(.invalidArgument, "Page size must be nonnegative.")
        )
        #expect(
            try self.service.list(self.request { $0.orderBy = "a sideways" }).status
                == GRPCStatus(.invalidArgument, "Invalid order by clause \"a sideways\".")
        )
        let both = try self.service.list(
            self.request {
                $0.orderBy = "a"
                $0.showMissing = true
            }
        )
        #expect(both.status?.code == .invalidArgument)
        #expect(try self.service.list(self.request { $0.collectionID = "a/b" }).status?.code == .invalidArgument)
    }

    @Test func `A page ends before its documents become too many bytes for clients`() throws {
        defer { self.service.close() }
        let text = Value.string(UTF8Text(String(repeating: "x", count: 900_000)))
        for id in ["a", "b", "c", "d", "e", "f", "g"] { try self.service.commit([try set("c/\(id)", [("t", text)])]) }
        let pages = try self.pages(self.request())
        #expect(pages.count == 2 && pages.flatMap { $0 }.count == 7)
    }

    @Test func `Collection ids come sorted and in pages`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("b/x"), try set("a/x"), try set("c/x/d/y"), try set("c/z/e/y")])
        var request = ListCollectionIdsRequest(parent: try parent(), pageSize: 2)
        let first = try self.service.answer { $0.listCollectionIds(request, completion: $1) }.get()
        #expect(first.collectionIDs == ["a", "b"])
        request.pageToken = first.nextPageToken
        let second = try self.service.answer { $0.listCollectionIds(request, completion: $1) }.get()
        #expect(second.collectionIDs == ["c"] && second.nextPageToken == "")

        request.parent = try parent("c/z")
        let other: ServiceUnderTest.Answer<ListCollectionIdsResponse> = try self.service.answer {
            $0.listCollectionIds(request, completion: $1)
        }
        #expect(other.status == GRPCStatus(.invalidArgument, "invalid page token"))
        request.pageToken = ""
        request.pageSize = .max
        let below = try self.service.answer { $0.listCollectionIds(request, completion: $1) }.get()
        #expect(below.collectionIDs == ["e"])
    }
}
