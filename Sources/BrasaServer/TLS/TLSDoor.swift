import BrasaDocuments
import BrasaHTTP2
import BrasaPlatform
import BrasaTLS
import Logging
import NIOCore
import NIOSSL

/// TLS in front of every other protocol of the port: who may begin a handshake, what a connection of it keeps, and which
/// certificate is shown.
final class TLSDoor: Sendable {
    struct NoRoom: Error {}

    /// About what the library keeps for a connection: its session, and one record each way.
    static let keptBytes = 32 << 10
    /// A record is decrypted as a whole, so an HTTP/1.1 connection may have so much more to keep of what it has parsed.
    static let keptBytesOfPlainRequests = 256 << 10
    /// Of certificates and keys that an operator renews.
    private static let renewalInterval: Duration = .seconds(5)
    private static let expiryNoticeSeconds: Int64 = 14 * 86_400

    let tls: ServerTLS
    private let handshakes: HandshakePlaces
    private let refusals: ConnectionRefusals

    init(_ tls: ServerTLS, handshakes: HandshakePlaces, refusals: ConnectionRefusals) {
        self.tls = tls
        self.handshakes = handshakes
        self.refusals = refusals
    }

    func setBounds(connectionsMax: Int, connectionsPerAddressMax: Int) {
        self.handshakes.setBounds(connectionsMax: connectionsMax, connectionsPerAddressMax: connectionsPerAddressMax)
    }

    /// So that what a connection shows has been verified.
    var asksForCertificates: Bool { self.tls.asksForCertificates }

    /// On the connection's event loop, before any other handler.
    /// - Parameter budget: what the connection draws from.
    /// - Throws: `NoRoom` when there is none for it; the caller closes the channel.
    func configure(_ channel: any Channel, budget: ByteBudget) throws {
        guard budget.draw(Self.keptBytes, holding: 0) else {
            self.refusals.count(.memory)
            throw NoRoom()
        }
        channel.closeFuture.whenComplete { _ in budget.giveBack(Self.keptBytes) }
        let address = PeerAddress(channel.remoteAddress)
        guard self.handshakes.take(address) else {
            self.refusals.count(.handshakes)
            throw NoRoom()
        }
        let handshake = TLSHandshake { isComplete in
            self.handshakes.giveBack(address)
            if !isComplete { self.refusals.count(.tls) }
        }
        let bound = NIOLoopBound(handshake, eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in bound.value.end(isComplete: false) }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([NIOSSLServerHandler(context: self.tls.context), handshake])
    }

    // MARK: Renewal

    /// Looks at the files again and again, until the task is cancelled.
    func renew(_ logger: Logger) async {
        self.noteExpiry(self.tls.certificate, logger)
        while (try? await Task.sleep(for: Self.renewalInterval)) != nil { self.reload(logger) }
    }

    func reload(_ logger: Logger) {
        switch self.tls.reload() {
        case .unchanged: break
        case .changed(let certificate):
            logger.notice("new connections are shown a new certificate", metadata: Self.metadata(certificate))
            self.noteExpiry(certificate, logger)
        case .failed(let error):
            logger.error(
                "the certificate of before is shown on, since its files cannot be used",
                metadata: ["error": "\(error)"]
            )
        }
    }

    private func noteExpiry(_ certificate: ServerCertificate, _ logger: Logger) {
        let left = certificate.expiresSeconds - Clock.system.wall().microseconds / 1_000_000
        guard left < Self.expiryNoticeSeconds else { return }
        let text = left > 0 ? "the certificate expires soon" : "the certificate has expired: clients refuse it"
        logger.warning("\(text)", metadata: Self.metadata(certificate))
    }

    private static func metadata(_ certificate: ServerCertificate) -> Logger.Metadata {
        ["expires": "\(Timestamp(microseconds: certificate.expiresSeconds * 1_000_000).rfc3339(.microseconds))"]
    }
}
