import BrasaPlatform
import NIOCore
import NIOSSL

/// Whom a connection is with, as far as that is known before a request.
struct Visitor: Sendable {
    let address: PeerAddress
    /// For the log.
    let text: String
    /// The end of a client's certificate that leads to `--tls-client-ca`.
    let certificateExpires: WallTime?

    init(address: PeerAddress, text: String, certificateExpires: WallTime? = nil) {
        self.address = address
        self.text = text
        self.certificateExpires = certificateExpires
    }

    /// - Parameter showsCertificates: clients are asked for one, so one that is there has been verified.
    init(_ channel: any Channel, showsCertificates: Bool) {
        var expires: WallTime?
        if showsCertificates, let certificate = try? channel.pipeline.syncOperations.nioSSL_peerCertificate() {
            expires = WallTime(microseconds: Int64(certificate.notValidAfter) * 1_000_000)
        }
        self.init(
            address: PeerAddress(channel.remoteAddress),
            text: channel.remoteAddress?.ipAddress ?? "?",
            certificateExpires: expires
        )
    }
}
