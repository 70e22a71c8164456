import BrasaDocuments
import BrasaMessages
import BrasaQueries
import NIOCore

/// The queries of one method that came more than once on an event loop lately: they are prepared, as statements are. What
/// comes again byte by byte is not decoded, checked and planned again. Of what comes again with other values to compare
/// with, these are all that is decoded. Who may see the results is asked each time.
struct RecentRequests<Checked: ComparingQuery>: Sendable {
    typealias Asked = AskedRequest<Checked>

    let asked = RecentTable<Asked>(placeCount: RecentRequests.placeCount, keptBytesMax: RecentRequests.keptBytesMax)
    let prepared = RecentTable<PreparedRequest<Checked>>(
        placeCount: RecentRequests.preparedPlaceCount,
        keptBytesMax: RecentRequests.preparedBytesMax
    )

    /// What a message asks for, if that is known of it or of one like it.
    /// - Parameter outline: takes the message apart.
    func find(_ message: ByteBuffer, outline: (ByteBuffer) -> QueryOutline?) -> FoundRequest<Checked> {
        guard message.readableBytes <= Self.bytesMax else { return .new(NewRequest()) }
        let whole = HashedBytes(message)
        if let known = self.asked.find(whole) { return .known(known) }
        guard let outline = outline(message) else { return .new(NewRequest(whole: whole)) }
        let outlined = HashedBytes(ByteBuffer(bytes: outline.bytes))
        if let prepared = self.prepared.find(outlined) {
            guard let asked = prepared.asked(with: outline.operands) else { return .new(NewRequest(whole: whole)) }
            self.noteWhole(asked, of: whole)
            return .known(asked)
        }
        return .new(NewRequest(whole: whole, outlined: outlined, operands: outline.operands))
    }

    /// Of a request that was new, as it was read: it may be known from now on.
    func note(_ asked: Asked, of request: NewRequest) {
        if let whole = request.whole { self.noteWhole(asked, of: whole) }
        guard let outlined = request.outlined else { return }
        self.prepared.note(outlined) { PreparedRequest(asked, request.operands) }
    }

    private func noteWhole(_ asked: Asked, of whole: HashedBytes) {
        self.asked.note(whole) { Self.isKept(asked) ? asked : nil }
    }

    private static func isKept(_ asked: Asked) -> Bool {
        guard case .success(let checked?) = asked.checked else { return false }
        return checked.query.disjunctions.count <= Self.conjunctionsMax
    }
}

extension RecentRequests {
    /// For requests, and for outlines. Powers of two.
    static var placeCount: Int { 2048 }
    static var preparedPlaceCount: Int { 256 }
    /// Longer requests are read each time.
    static var bytesMax: Int { 1 << 10 }
    /// So are those that come to more: there can be thirty, with all the conditions of what they were made of.
    static var conjunctionsMax: Int { 1 }
    /// Of all requests that are kept. What is made of one takes about seven times as much, and thirty times at most: 2 to 8 MiB.
    static var keptBytesMax: Int { 256 << 10 }
    /// Of all outlines.
    static var preparedBytesMax: Int { 64 << 10 }
}

package enum FoundRequest<Checked: ComparingQuery> {
    case known(AskedRequest<Checked>)
    /// It has to be decoded, and noted.
    case new(NewRequest)
}

/// What the message of a request would be known by.
package struct NewRequest {
    /// Nil: it is too long.
    fileprivate var whole: HashedBytes?
    /// Nil: it has no outline.
    fileprivate var outlined: HashedBytes?
    fileprivate var operands: [Value] = []
}
