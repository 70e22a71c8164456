import BrasaDocuments
package import BrasaMessages
import BrasaQueries
import BrasaRules
import BrasaStore

/// PartitionQuery.
extension FirestoreService {
    package func partitionQuery(_ request: PartitionQueryRequest, for call: Call<PartitionQueryResponse>) {
        guard self.admitsAdministrator(call, to: .read, request.parent.database, else: .partitions) else { return }
        do throws(Status) {
            let page = try PartitionPage(request)
            let database = self.database(request.parent.database)
            self.withReadTime(request.readTime, in: database, for: call) { (time) throws(StoreError) in
                var partition = try self.store.partition(collectionID: page.collectionID, in: database, at: time)
                SteppedAnswer(call, in: self.turns) { () throws(Status) in
                    guard !partition.step() else { return nil }
                    return page.response(partition.points(page.countMax))
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

    init(_ request: PartitionQueryRequest) throws(Status) {
        let partition: PartitionQuery
        do throws(QueryError) {
            partition = try PartitionQuery(request.query, parent: request.parent, count: request.partitionCount)
        } catch {
            throw Status(error)
        }
        guard request.pageSize >= 0 else { throw .negativePageSize }
        self.collectionID = partition.query.names.collectionID ?? ""
        self.countMax = min(partition.countMax, Self.countMax)
        self.database = request.parent.database
        self.pageSize = request.pageSize == 0 ? .max : Int(request.pageSize)
        self.fingerprint = Self.fingerprint(of: request, collectionID: self.collectionID)
        guard !request.pageToken.bytes.isEmpty else {
            self.after = nil
            return
        }
        guard let token = PageToken(parsing: request.pageToken.bytes, for: self.fingerprint),
            let after = try? ResourcePath(parsing: token.last), after.isDocument
        else { throw .invalidPageToken }
        self.after = after
    }

    /// Of everything that decides which points there are: nothing else can be asked of a query that is to be split.
    private static func fingerprint(of request: PartitionQueryRequest, collectionID: UTF8Text) -> UInt64 {
        var fingerprint = Fingerprint()
        fingerprint.add(request.parent.bytes)
        fingerprint.add(collectionID.bytes)
        fingerprint.add(request.partitionCount)
        fingerprint.add(request.readTime?.time.microseconds ?? .min)
        return fingerprint.value
    }

    /// The page among all points, which are ascending.
    func response(_ points: [ResourcePath]) -> PartitionQueryResponse {
        var partitions: [StructuredQuery.Cursor] = []
        var bytes = 0
        var last: ResourcePath?
        for point in points where self.after.map({ $0 < point }) ?? true {
            if let last, partitions.count == self.pageSize || bytes > Self.pageBytesMax {
                let token = PageToken(fingerprint: self.fingerprint, last: last.bytes.array)
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
