import BrasaDocuments
import BrasaGRPC
import BrasaQueries
import BrasaStore
import BrasaWire
import NIOCore

/// PartitionQuery.
extension FirestoreService {
    func partitionQuery(_ call: GRPCServerCall, _ message: ByteBuffer) {
        let request = call.decode { () throws(WireError) in try PartitionQueryRequest(decoding: message) }
        guard let request else { return }
        do throws(GRPCStatus) {
            let page = try PartitionPage(request)
            let database = self.store.database(request.parent.database)
            self.withReadTime(request.readTime, for: call) { (time) throws(StoreError) in
                var partition = try self.store.partition(collectionID: page.collectionID, in: database, at: time)
                SteppedAnswer(call) { () throws(GRPCStatus) in
                    guard !partition.step() else { return nil }
                    let response = page.response(partition.points(page.countMax))
                    return call.message { response.encode(into: &$0) }
                }.run()
            }
        } catch {
            call.finish(error)
        }
    }
}

/// One page of partition cursors: what was asked for, checked.
struct PartitionPage: Sendable {
    /// More parts than this help nobody.
    private static let countMax = 1 << 14
    /// A page ends early when its names come to this many bytes, well below what clients receive.
    private static let pageBytesMax = 4 << 20

    let collectionID: UTF8Text
    /// Points of all pages.
    let countMax: Int
    private let database: DatabaseName
    private let pageSize: Int
    private let fingerprint: UInt64
    /// The last point of the page before.
    private let after: ResourcePath?

    init(_ request: PartitionQueryRequest) throws(GRPCStatus) {
        let partition: PartitionQuery
        do throws(QueryError) {
            partition = try PartitionQuery(request.query, parent: request.parent, count: request.partitionCount)
        } catch {
            throw GRPCStatus(error)
        }
        guard request.pageSize >= 0 else { throw .negativePageSize }
        self.collectionID = partition.query.names.collectionID ?? ""
        self.countMax = min(partition.countMax, Self.countMax)
        self.database = request.parent.database
        self.pageSize = request.pageSize == 0 ? .max : Int(request.pageSize)
        self.fingerprint = Self.fingerprint(of: request)
        guard !request.pageToken.bytes.isEmpty else {
            self.after = nil
            return
        }
        guard let token = PageToken(parsing: request.pageToken.bytes, for: self.fingerprint),
            let after = try? ResourcePath(parsing: token.last), after.isDocument
        else { throw .invalidPageToken }
        self.after = after
    }

    /// Of everything that decides which points there are.
    private static func fingerprint(of request: PartitionQueryRequest) -> UInt64 {
        var asked = request
        asked.pageToken = ""
        asked.pageSize = 0
        var bytes = ByteBuffer()
        asked.encode(into: &bytes)
        var fingerprint = Fingerprint()
        fingerprint.add(bytes.readableBytesView)
        return fingerprint.value
    }

    /// The page among all points, which are ascending.
    func response(_ points: [ResourcePath]) -> PartitionQueryResponse {
        var partitions: [StructuredQuery.Cursor] = []
        var bytes = 0
        var last: ResourcePath?
        for point in points where self.after.map({ $0 < point }) ?? true {
            if let last, partitions.count == self.pageSize || bytes > Self.pageBytesMax {
                let token = PageToken(fingerprint: self.fingerprint, last: last.bytes)
                return PartitionQueryResponse(
                    partitions: partitions,
                    nextPageToken: UTF8Text(String(decoding: token.text, as: UTF8.self))
                )
            }
            guard let name = DocumentName(database: self.database, path: point) else { continue }
            partitions.append(StructuredQuery.Cursor(values: [.reference(name)], before: true))
            bytes += self.database.bytes.count + point.bytes.count + 32
            last = point
        }
        return PartitionQueryResponse(partitions: partitions)
    }
}
