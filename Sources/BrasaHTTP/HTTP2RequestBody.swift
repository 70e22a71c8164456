import BrasaHTTP2
import BrasaIdentity
import NIOCore

/// What is kept of the body of a request of HTTP/2, as far as it is wanted. From its first byte until it is answered it
/// counts: for its caller, and for its connection while its stream is there. A stream that goes before the answer comes leaves
/// it drawn from the budget, since whoever answers keeps it. On the connection's event loop only.
final class HTTP2RequestBody {
    private enum Count {
        case forConnection
        case apart(DrawnBytes)
    }

    private(set) var bytes: [UInt8] = []
    /// By any route, as long as it is not known which; then by the request's.
    private(set) var bytesWanted = 0
    /// What counts it for its caller.
    private var claim: CallerClaim?
    private let account: ByteAccount
    private var counted = 0
    private var count = Count.forConnection
    private var isHandedOver = false

    init(_ account: ByteAccount) {
        self.account = account
    }

    func want(_ bytesMax: Int) {
        self.bytesWanted = bytesMax
        if bytesMax == 0 { self.drop() }
    }

    /// One byte past what is wanted says that there was more. False: there is no room for it.
    func keep(_ data: ByteBuffer, of stream: HTTP2Stream) -> Bool {
        guard self.bytesWanted > 0 else { return true }
        let part = data.readableBytesView.prefix(max(0, self.bytesWanted + 1 - self.bytes.count))
        guard stream.hasRoom(for: part.count) else { return false }
        self.counted += part.count
        self.account.add(part.count)
        self.bytes.append(contentsOf: part)
        return true
    }

    var isWhole: Bool { self.bytes.count <= self.bytesWanted }

    func claim(_ claim: CallerClaim?) { self.claim = claim }

    /// What is kept is not more than the caller may have.
    var isClaimed: Bool { self.claim?.setBytes(self.bytes.count) ?? true }

    /// To whoever answers, until `answered`.
    func handOver() -> [UInt8] {
        self.isHandedOver = true
        self.bytesWanted = 0
        defer { self.bytes = [] }
        return self.bytes
    }

    /// Nobody wants it.
    func drop() {
        self.bytesWanted = 0
        guard !self.isHandedOver else { return }
        self.letGo()
    }

    func answered() { self.letGo() }

    func streamClosed() {
        self.drop()
        guard self.counted > 0, case .forConnection = self.count else { return }
        self.count = .apart(DrawnBytes(self.counted, from: self.account.detach(self.counted)))
    }

    private func letGo() {
        self.bytes = []
        self.claim = nil
        switch self.count {
        case .forConnection: if self.counted > 0 { self.account.remove(self.counted) }
        case .apart(let bytes): bytes.giveBack()
        }
        self.counted = 0
    }
}
