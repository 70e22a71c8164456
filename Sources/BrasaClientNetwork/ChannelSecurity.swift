package import NIOCore
package import NIOSSL

/// Whether a channel is encrypted, and who is believed.
package enum ChannelSecurity: Sendable {
    case plaintext
    case tls(TLSSettings)

    package var scheme: String { self.isEncrypted ? "https" : "http" }

    package var isEncrypted: Bool {
        switch self {
        case .plaintext: false
        case .tls: true
        }
    }
}

package struct TLSSettings: Hashable, Sendable {
    /// Text in PEM: certificates, or a key.
    package enum PEM: Hashable, Sendable {
        case bytes([UInt8])
        case file(String)
    }

    package enum Roots: Hashable, Sendable {
        /// Those that the system trusts.
        case system
        case given(PEM)
    }

    /// What the client shows of itself when the server asks.
    package struct Identity: Hashable, Sendable {
        /// The client's certificate first.
        package var chain: PEM
        /// The private key.
        package var key: PEM

        package init(chain: PEM, key: PEM) {
            self.chain = chain
            self.key = key
        }
    }

    package var roots = Roots.system
    package var identity: Identity?
    /// The name in the server's certificate, where it is not the address's host.
    package var serverName: String?

    package init() {}
}

/// The certificates or the key cannot be used.
package struct TLSSettingsError: Error, CustomStringConvertible {
    package let description: String
    /// What TLS says.
    package let cause: any Error
}

/// What the settings come to: read once for all connections.
package struct TLSContext: Sendable {
    private let context: NIOSSLContext
    /// Nil for an IP address, which is no name to ask for.
    private let serverName: String?

    /// - Parameter protocols: what is to be spoken, the best first.
    package init(_ settings: TLSSettings, host: String, protocols: [String] = ["h2"]) throws(TLSSettingsError) {
        do {
            self.context = try NIOSSLContext(configuration: try Self.configuration(settings, protocols: protocols))
        } catch {
            throw TLSSettingsError(description: "The settings for TLS cannot be used: \(error)", cause: error)
        }
        let name = settings.serverName ?? host
        self.serverName = (try? SocketAddress(ipAddress: name, port: 0)) == nil ? name : nil
    }

    package static func configuration(_ settings: TLSSettings, protocols: [String] = ["h2"]) throws -> TLSConfiguration
    {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // HTTP/2 goes over nothing older, and nothing else should.
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = protocols
        switch settings.roots {
        case .system: configuration.trustRoots = .default
        case .given(let roots): configuration.trustRoots = .certificates(try roots.certificates())
        }
        if let identity = settings.identity {
            configuration.certificateChain = try identity.chain.certificates().map { .certificate($0) }
            configuration.privateKey = .privateKey(try identity.key.key())
        }
        return configuration
    }

    /// On the channel's event loop: what passes it from here on is encrypted.
    package func addHandler(to channel: any Channel) throws {
        let handler = try NIOSSLClientHandler(context: self.context, serverHostname: self.serverName)
        try channel.pipeline.syncOperations.addHandler(handler)
    }
}

extension TLSSettings.PEM {
    fileprivate func certificates() throws -> [NIOSSLCertificate] {
        switch self {
        case .bytes(let bytes): try NIOSSLCertificate.fromPEMBytes(bytes)
        case .file(let path): try NIOSSLCertificate.fromPEMFile(path)
        }
    }

    fileprivate func key() throws -> NIOSSLPrivateKey {
        switch self {
        case .bytes(let bytes): try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        case .file(let path): try NIOSSLPrivateKey(file: path, format: .pem)
        }
    }
}
