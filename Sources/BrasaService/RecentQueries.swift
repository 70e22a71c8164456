import BrasaDocuments
package import BrasaMessages
package import BrasaQueries
import BrasaStore
package import NIOCore

package typealias AskedQuery = AskedRequest<RunQueryRequest, Query>
package typealias AskedAggregation = AskedRequest<RunAggregationQueryRequest, AggregationQuery>

/// A query as it was asked for: its request, what checking it came to, and how it was answered last.
///
/// Unchecked, because it belongs to one event loop.
package final class AskedRequest<Request: Sendable, Checked: Sendable>: @unchecked Sendable {
    let request: Request
    /// Nil: the request has none.
    let checked: Result<Checked?, QueryError>
    /// Nil until it was answered.
    var planned: PlannedQuery?
    /// Of the message, once it is kept.
    fileprivate var bytes: [UInt8] = []
    fileprivate var hash = 0

    init(_ request: Request, _ check: (Request) throws(QueryError) -> Checked?) {
        self.request = request
        self.checked = Result { () throws(QueryError) in try check(request) }
    }
}

/// The message of a request, and what its bytes are looked for by.
package struct HashedMessage {
    let message: ByteBuffer
    let hash: Int

    package init(_ message: ByteBuffer) {
        self.message = message
        self.hash = message.withUnsafeReadableBytes { bytes in
            var hasher = Hasher()
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(RecentQueries.bytesMax)))
            return hasher.finalize()
        }
    }

    fileprivate func isSame(as bytes: [UInt8]) -> Bool {
        self.message.withUnsafeReadableBytes { own in bytes.withUnsafeBytes { ByteOrder.equal(own, $0) } }
    }
}

/// What bounds the queries that an event loop keeps of a method.
enum RecentQueries {
    /// A power of two.
    static let placeCount = 2048
    /// Longer requests are not kept.
    static let bytesMax = 1 << 10
    /// Neither are those that come to more: there can be thirty, with all the conditions of what they were made of.
    static let conjunctionsMax = 1
    /// Of all requests that are kept. What is made of one takes about seven times as much, and thirty times at most: 2 to 8 MiB.
    static let keptBytesMax = 256 << 10
}

/// The queries of one method that were asked for more than once on an event loop lately. What comes again byte by byte is
/// not decoded, checked and planned again, as a prepared statement is not; who may see the results is asked each time.
///
/// A table without lists: by its hash a request has two places. It gets one when it comes for the second time while what has
/// that place has not come: what comes once costs little more than its hash, and pushes out nothing that comes often. A full
/// table is emptied.
///
/// Unchecked, because it belongs to one event loop.
final class RecentRequests<Request: Sendable, Checked: Sendable>: @unchecked Sendable {
    typealias Asked = AskedRequest<Request, Checked>

    private struct Place {
        var kept: Asked?
        /// The hash of a request that came since the kept one did.
        var newcomer: Int?
    }

    private var places = RecentRequests.noPlaces
    /// Bytes of the requests that are kept.
    private(set) var keptBytes = 0
    private let check: @Sendable (Request) throws(QueryError) -> Checked?
    private let query: @Sendable (Checked) -> Query

    /// - Parameter query: of what was checked.
    init(
        _ check: @escaping @Sendable (Request) throws(QueryError) -> Checked?,
        query: @escaping @Sendable (Checked) -> Query
    ) {
        self.check = check
        self.query = query
    }

    /// What a message asks for, if that is known.
    func find(_ message: HashedMessage) -> Asked? {
        self.find(message, at: Self.first(message)) ?? self.find(message, at: Self.second(message))
    }

    private func find(_ message: HashedMessage, at number: Int) -> Asked? {
        guard let kept = self.places[number].kept, kept.hash == message.hash, message.isSame(as: kept.bytes) else {
            return nil
        }
        self.places[number].newcomer = nil
        return kept
    }

    /// The same of one that is not known, as it was decoded: it may be from now on.
    func note(_ request: Request, in message: HashedMessage) -> Asked {
        let asked = AskedRequest(request, self.check)
        guard message.message.readableBytes <= RecentQueries.bytesMax, case .success(let checked?) = asked.checked,
            self.query(checked).disjunctions.count <= RecentQueries.conjunctionsMax
        else { return asked }
        let (first, second) = (Self.first(message), Self.second(message))
        if self.isFree(first, for: message), self.places[first].kept == nil || !self.isFree(second, for: message) {
            self.keep(asked, in: message, at: first)
        } else if self.isFree(second, for: message) {
            self.keep(asked, in: message, at: second)
        } else {
            self.places[first].newcomer = message.hash
            self.places[second].newcomer = message.hash
        }
        return asked
    }

    /// Whether the request came before, and what has the place did not come since.
    private func isFree(_ number: Int, for message: HashedMessage) -> Bool {
        self.places[number].newcomer == message.hash
    }

    private func keep(_ asked: Asked, in message: HashedMessage, at number: Int) {
        (asked.bytes, asked.hash) = (Array(message.message.readableBytesView), message.hash)
        self.keptBytes += asked.bytes.count - (self.places[number].kept?.bytes.count ?? 0)
        if self.keptBytes > RecentQueries.keptBytesMax {
            self.places = Self.noPlaces
            self.keptBytes = asked.bytes.count
        }
        self.places[number] = Place(kept: asked)
    }

    private static var noPlaces: [Place] { Array(repeating: Place(), count: RecentQueries.placeCount) }

    private static func first(_ message: HashedMessage) -> Int { message.hash & (RecentQueries.placeCount - 1) }
    private static func second(_ message: HashedMessage) -> Int {
        (message.hash >> 32) & (RecentQueries.placeCount - 1)
    }
}
