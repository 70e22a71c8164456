import BrasaPlatform
import NIOCore
import NIOSSL

/// Whom a connection is with, as far as that is known before a request.
struct Visitor: Sendable {
    /// Of a client.
    struct Certificate: Sendable {
        let bytes: [UInt8]
        let expires: WallTime
    }

    let address: PeerAddress
    /// For the log.
    let text: String
    /// One that leads to `--tls-client-ca`.
    let certificate: Certificate?

    init(address: PeerAddress, text: String, certificate: Certificate? = nil) {
        self.address = address
        self.text = text
        self.certificate = certificate
    }

    /// - Parameter showsCertificates: clients are asked for one, so one that is there has been verified.
    init(_ channel: any Channel, showsCertificates: Bool) {
        var shown: Certificate?
        if showsCertificates, let certificate = try? channel.pipeline.syncOperations.nioSSL_peerCertificate(),
            let bytes = try? certificate.toDERBytes()
        {
            let expires = WallTime(microseconds: Int64(certificate.notValidAfter) * 1_000_000)
            shown = Certificate(bytes: bytes, expires: expires)
        }
        self.init(
            address: PeerAddress(channel.remoteAddress),
            text: channel.remoteAddress?.ipAddress ?? "?",
            certificate: shown
        )
    }
}
