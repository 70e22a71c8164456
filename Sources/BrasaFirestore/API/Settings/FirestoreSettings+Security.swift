internal import BrasaClientNetwork

extension FirestoreSettings {
    /// Text in PEM form: certificates, or a private key.
    public enum PEM: Hashable, Sendable {
        case bytes([UInt8])
        case file(String)
    }

    /// What the client shows of itself when the server asks for a certificate.
    public struct ClientIdentity: Hashable, Sendable {
        /// The client's own certificate first.
        public var certificateChain: PEM
        public var privateKey: PEM

        public init(certificateChain: PEM, privateKey: PEM) {
            self.certificateChain = certificateChain
            self.privateKey = privateKey
        }
    }

    /// Gives the bearer token for calls, or nil for none. It is asked when there is no token yet, and with true when the
    /// server has refused the last one. A token is of visible ASCII characters, and spaces but for its end; others fail the call
    /// with `unauthenticated`.
    public typealias TokenProvider = @Sendable (_ isRefresh: Bool) async throws -> String?

    /// Whose certificates are believed; nil for those whom the system believes.
    public var trustedRoots: PEM? {
        get { self.values.security.trustedRoots }
        set { self.values.security.trustedRoots = newValue }
    }

    public var clientIdentity: ClientIdentity? {
        get { self.values.security.clientIdentity }
        set { self.values.security.clientIdentity = newValue }
    }

    /// The name that the server's certificate must have, where that is not its host's.
    public var serverName: String? {
        get { self.values.security.serverName }
        set { self.values.security.serverName = newValue }
    }

    /// Where bearer tokens come from. Nil for calls without one. Emulators, by `useEmulator` or `FIRESTORE_EMULATOR_HOST`,
    /// get none of them.
    public var tokenProvider: TokenProvider? {
        get { self.values.tokens?.provider }
        set { self.values.tokens = newValue.map { TokenSource($0) } }
    }

    /// The path of a key file, as `brasa keys create` prints it: calls are those of the administrator that it names, with
    /// tokens that the client signs itself. Over TLS, or to a server on loopback. Where neither this nor ``tokenProvider`` is
    /// set, and the connection is encrypted, the one that `GOOGLE_APPLICATION_CREDENTIALS` names.
    public var keyFile: String? {
        get { self.values.keyFile }
        set { self.values.keyFile = newValue }
    }

    struct Security: Hashable, Sendable {
        var trustedRoots: PEM?
        var clientIdentity: ClientIdentity?
        var serverName: String?
    }

    /// A provider that can be told from others.
    final class TokenSource: Sendable {
        let provider: TokenProvider

        init(_ provider: @escaping TokenProvider) {
            self.provider = provider
        }
    }
}

extension FirestoreSettings.Values {
    var tls: TLSSettings {
        var settings = TLSSettings()
        if let roots = self.security.trustedRoots { settings.roots = .given(TLSSettings.PEM(roots)) }
        settings.identity = self.security.clientIdentity.map {
            TLSSettings.Identity(chain: TLSSettings.PEM($0.certificateChain), key: TLSSettings.PEM($0.privateKey))
        }
        settings.serverName = self.security.serverName
        return settings
    }
}

extension TLSSettings.PEM {
    fileprivate init(_ pem: FirestoreSettings.PEM) {
        switch pem {
        case .bytes(let bytes): self = .bytes(bytes)
        case .file(let path): self = .file(path)
        }
    }
}
