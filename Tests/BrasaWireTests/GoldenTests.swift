import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaStatus
import NIOCore
import Testing

@testable import BrasaWire

@Suite("Messages of the official client's library")
struct GoldenTests {
    let database: DatabaseName
    let city: DocumentName
    let late = Timestamp(microseconds: 1_700_000_000_123_456)
    let early = Timestamp(microseconds: -500_000)

    init() throws {
        self.database = try DatabaseName(parsing: Array("projects/p/databases/(default)".utf8))
        self.city = try DocumentName(parsing: Array("projects/p/databases/(default)/documents/cities/SF".utf8))
    }

    private func golden(_ text: String) -> ByteBuffer { ByteBuffer(bytes: Hexadecimal.bytes(text)) }

    @Test("are written again byte for byte as they were read", arguments: MessageCase.all)
    func rewriting(message: MessageCase) throws {
        let rewritten = try message.rewrite(ByteBuffer(bytes: message.bytes))
        #expect(Array(rewritten.readableBytesView) == message.bytes)
    }

    @Test("are read alike when unknown fields follow", arguments: MessageCase.all)
    func unknownFields(message: MessageCase) throws {
        var unknown = FieldWriter()
        unknown.field(500, varint: 7)
        unknown.field(501, "later additions")
        let fixed: [UInt8] = [0xB5, 0x3E, 1, 2, 3, 4]
        let rewritten = try message.rewrite(ByteBuffer(bytes: message.bytes + unknown.bytes + fixed))
        #expect(Array(rewritten.readableBytesView) == message.bytes)
    }

    @Test("are read from the middle of a buffer", arguments: MessageCase.all)
    func slices(message: MessageCase) throws {
        let buffer = ByteBuffer(bytes: [0xFF, 0xFF, 0xFF] + message.bytes + [0xFF])
        let slice = try #require(buffer.getSlice(at: 3, length: message.bytes.count))
        #expect(Array(try message.rewrite(slice).readableBytesView) == message.bytes)
    }

    @Test("are appended to what a buffer holds", arguments: MessageCase.all)
    func appending(message: MessageCase) throws {
        let start = ByteBuffer(bytes: [1, 2, 3, 4, 5])
        let rewritten = try message.rewrite(ByteBuffer(bytes: message.bytes), onto: start)
        #expect(Array(rewritten.readableBytesView) == [1, 2, 3, 4, 5] + message.bytes)
    }

    @Test("GetDocument keeps mask and consistency")
    func getDocument() throws {
        let request = try GetDocumentRequest(decoding: self.golden(Goldens.getDocumentRequest))
        #expect(request.name == self.city)
        #expect(request.mask?.map(\.canonical) == ["name"])
        #expect(request.consistency == .transaction([0, 1, 2]))
    }

    @Test("GetDocument tells an empty mask from none, and a time finer than microseconds from others")
    func getDocumentAtTime() throws {
        let request = try GetDocumentRequest(decoding: self.golden(Goldens.getDocumentRequestAtTime))
        #expect(request.mask == [])
        #expect(request.consistency == .readTime(ReadTime(self.late, isMicrosecondAligned: false)))
        let bare = FieldWriter.message { $0.field(1, self.city.string) }
        #expect(try GetDocumentRequest(decoding: bare).mask == nil)
        #expect(try GetDocumentRequest(decoding: bare).consistency == .strong)
    }

    @Test("Commit keeps its writes in order, with masks, preconditions and transforms")
    func commit() throws {
        let request = try CommitRequest(decoding: self.golden(Goldens.commitRequest))
        #expect(request.database == self.database)
        #expect(request.transaction == Array("tx".utf8))
        try #require(request.writes.count == 4)
        #expect(request.writes.allSatisfy { $0.name == self.city })

        guard case .set(let fields) = request.writes[0].operation else { Issue.record("no set"); return }
        #expect(fields.decoded.map(\.key.string) == ["name", "population", "tags"])
        #expect(request.writes[0].precondition == nil)

        guard case .merge(fields, let mask) = request.writes[1].operation else { Issue.record("no merge"); return }
        #expect(mask.map(\.canonical) == ["name", "`a b`.c"])
        #expect(request.writes[1].precondition == .exists(true))
        #expect(
            request.writes[1].transforms.map(\.path.canonical) == [
                "at", "population", "most", "least", "more", "fewer",
            ]
        )

        guard case .merge(.empty, mask: []) = request.writes[2].operation else { Issue.record("no merge"); return }
        guard case .delete = request.writes[3].operation else { Issue.record("no delete"); return }
        #expect(request.writes[3].precondition == .updateTime(self.late))
    }

    @Test("RunQuery keeps every part of a structured query")
    func runQuery() throws {
        let request = try RunQueryRequest(decoding: self.golden(Goldens.runQueryRequest))
        #expect(request.parent.path.isRoot)
        #expect(request.consistency == .newTransaction(.unspecified))
        #expect(request.explain == .init(analyze: true))
        let query = try #require(request.query)
        #expect(query.select?.map(\.canonical) == ["name"])
        #expect(query.from == [.init(collectionID: "cities", allDescendants: true)])
        #expect(query.orderBy.map(\.direction) == [.descending, .unspecified])
        #expect(query.orderBy.map(\.field.isDocumentName) == [false, true])
        #expect(query.startAt?.values.count == 2)
        #expect(query.startAt?.before == true)
        #expect(query.endAt?.values.isEmpty == true)
        #expect(query.offset == 3)
        #expect(query.limit == 0)
        #expect(query.findNearest?.distanceMeasure == .cosine)
        #expect(query.findNearest?.distanceThreshold == 0.25)
        guard case .composite(.and, let filters) = query.filter, filters.count == 3 else {
            Issue.record("no conjunction of three")
            return
        }
        guard case .field(_, .equal, .boolean(false)) = filters[0], case .unary(_, .isNotNull) = filters[1],
            case .composite(.or, let none) = filters[2]
        else {
            Issue.record("other filters")
            return
        }
        #expect(none.isEmpty)
    }

    @Test("CreateDocument makes a write under the given id")
    func createDocument() throws {
        let request = try CreateDocumentRequest(decoding: self.golden(Goldens.createDocumentRequest))
        let write = try request.write(id: "unused")
        #expect(write.name.string == self.city.string + "/parks/p1")
        #expect(write.precondition == .exists(false))
        var unnamed = request
        unnamed.documentID = ""
        #expect(try unnamed.write(id: "chosen").name.path.lastSegment.elementsEqual("chosen".utf8))
    }

    @Test("BeginTransaction keeps how the transaction begins")
    func beginTransaction() throws {
        let request = try BeginTransactionRequest(decoding: self.golden(Goldens.beginTransactionRequest))
        #expect(request.options == .readOnly(readTime: ReadTime(self.late)))
        let bare = FieldWriter.message { $0.field(1, self.database.string) }
        #expect(try BeginTransactionRequest(decoding: bare).options == nil)
        let modeless = FieldWriter.message {
            $0.field(1, self.database.string)
            $0.field(2, "")
        }
        #expect(try BeginTransactionRequest(decoding: modeless).options == .unspecified)
    }

    @Test("a stored document is spliced with its name and times")
    func document() throws {
        let document = try NamedDocument(decoding: self.golden(Goldens.document))
        #expect(document.name == self.city)
        #expect(document.document?.createTime == self.early)
        #expect(document.document?.updateTime == self.late)
        #expect(document.document?.fields.decoded.count == 3)
    }

    @Test("a listed name without document has neither fields nor times")
    func listing() throws {
        let response = try ListDocumentsResponse(decoding: self.golden(Goldens.listDocumentsResponse))
        #expect(response.documents.map { $0.document == nil } == [false, true])
        #expect(response.nextPageToken == "next")
    }

    @Test("CommitResponse keeps absent update times and transform results")
    func commitResponse() throws {
        let response = try CommitResponse(decoding: self.golden(Goldens.commitResponse))
        #expect(response.commitTime == self.late)
        #expect(response.writeResults.map(\.updateTime) == [nil, self.early])
        let results = try response.writeResults[1].transformResults()
        guard results.count == 2, case .integer(5) = results[0], case .null = results[1] else {
            Issue.record("other results: \(results)")
            return
        }
    }

    @Test("BatchWriteResponse keeps one status for each write")
    func batchWriteResponse() throws {
        let response = try BatchWriteResponse(decoding: self.golden(Goldens.batchWriteResponse))
        #expect(response.statuses == [.ok, Status(.notFound, "No document to update: x")])
        #expect(response.writeResults.map(\.updateTime) == [self.late, nil])
    }

    @Test("RunAggregationQuery keeps every aggregation, with its bound, field and alias")
    func runAggregationQuery() throws {
        let request = try RunAggregationQueryRequest(decoding: self.golden(Goldens.runAggregationQueryRequest))
        let path = try FieldPath(parsing: "a.b".utf8)
        let query = try #require(request.query)
        #expect(
            query.aggregations == [
                .init(.count(upTo: 0), alias: "all"), .init(.count(upTo: nil)), .init(.sum(path), alias: "total"),
                .init(.average(path)), .init(nil, alias: "nothing"),
            ]
        )
        #expect(query.query?.from == [.init(collectionID: "cities", allDescendants: true)])
        #expect(request.consistency == .transaction(Array("tx".utf8)))
        #expect(request.explain == ExplainOptions(analyze: false))
        let bare = FieldWriter.message {
            $0.field(1, "projects/p/databases/(default)/documents")
            $0.field(2, "")
        }
        let empty = try #require(try RunAggregationQueryRequest(decoding: bare).query)
        #expect(empty.query == nil && empty.aggregations.isEmpty)
    }

    @Test("RunAggregationQueryResponse tells results from a plan without any")
    func runAggregationQueryResponse() throws {
        let response = try RunAggregationQueryResponse(decoding: self.golden(Goldens.runAggregationQueryResponse))
        #expect(response.result?.map(\.alias) == ["all", "field_1"])
        #expect(response.result?.map(\.value) == [.integer(3), .null])
        #expect(response.metrics == ExplainMetrics(indexesUsed: []))
        #expect(try RunAggregationQueryResponse(decoding: ByteBuffer()).result == nil)
    }

    @Test("PartitionQuery keeps count, page and time")
    func partitionQuery() throws {
        let request = try PartitionQueryRequest(decoding: self.golden(Goldens.partitionQueryRequest))
        #expect(request.partitionCount == 7 && request.pageSize == -1 && request.pageToken == "t")
        #expect(request.readTime == ReadTime(self.late))
        #expect(request.query?.offset == 3)
        let response = try PartitionQueryResponse(decoding: self.golden(Goldens.partitionQueryResponse))
        #expect(response.partitions.map(\.values) == [[.reference(self.city)], []])
        #expect(response.partitions.map(\.before) == [true, false])
    }

    @Test("an explanation keeps its indexes, times and figures")
    func explained() throws {
        let response = try RunQueryResponse(decoding: self.golden(Goldens.runQueryExplained))
        let metrics = try #require(response.metrics)
        let indexes = try #require(metrics.indexesUsed)
        #expect(indexes[0]["properties"] == .text("(a ASC, __name__ ASC)"))
        #expect(indexes[1]["l"] == .list([.number(1.5), .null, .text("x")]))
        #expect(indexes[1]["s"] == .fields(StructMessage([.init("inner", .fields(StructMessage()))])))
        #expect(metrics.execution?.resultsReturned == 2 && metrics.execution?.readOperations == 3)
        #expect(metrics.execution?.duration == .milliseconds(1_005))
        #expect(metrics.execution?.debug["documents_scanned"] == .text("2"))
    }

    @Test("ListIndexesResponse keeps every figure of an index")
    func listIndexes() throws {
        let indexes = try ListIndexesResponse(decoding: self.golden(Goldens.listIndexesResponse)).indexes
        #expect(indexes.map(\.collectionID) == ["cities", "towns"])
        #expect(indexes.map(\.scope) == [.collectionGroup, .collection])
        #expect(indexes.map(\.state) == [.building, .ready])
        #expect(indexes[0].entries == 860_000 && indexes[0].bytes == 1 << 40 && indexes[0].uses == 3)
        #expect(indexes[0].createTime == self.early && indexes[0].lastUseTime == self.late)
        #expect(indexes[1].lastUseTime == nil)
    }
}
