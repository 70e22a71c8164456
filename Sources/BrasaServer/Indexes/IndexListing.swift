import BrasaGRPC
import BrasaHTTP2
import BrasaMessages
package import BrasaOptions
import BrasaPlatform
import BrasaSigner
import BrasaTokens
import BrasaWire
import NIOCore
import NIOPosix
import NIOSSL

/// How an operator's command reaches a running server.
package struct ServerAccess: Sendable {
    package var address: ListenAddress
    /// Whose certificates are believed, as a PEM file; nil: those that the system believes.
    package var authorities: String?
    package var speaksTLS: Bool
    /// A key file of `brasa keys create`.
    package var keyFile: String?

    package init(_ address: ListenAddress, speaksTLS: Bool = false, authorities: String? = nil, keyFile: String? = nil)
    {
        self.address = address
        self.speaksTLS = speaksTLS
        self.authorities = authorities
        self.keyFile = keyFile
    }

    func token() throws(StartError) -> String? {
        guard let path = self.keyFile else { return nil }
        do throws(AdministratorKeyFileError) {
            let key = try SigningKey(keyFile: path, disk: RealDisk())
            return key.token(at: Clock.system.wall().microseconds / 1_000_000)
        } catch {
            throw StartError("--key: \(error)")
        }
    }

    /// Whoever reads along could use a token for as long as it is good.
    func checkSecrecy(to peer: SocketAddress?) throws(StartError) {
        guard self.keyFile != nil, !self.speaksTLS, self.authorities == nil, peer?.isLoopback != true else { return }
        throw StartError("--key is not shown to \(self.address) in plain text: say --tls, or --ca FILE")
    }

    /// Nil: plain text.
    func tls() throws(StartError) -> NIOSSLContext? {
        guard self.speaksTLS || self.authorities != nil else { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2"]
        if let path = self.authorities { configuration.trustRoots = .file(path) }
        guard let context = try? NIOSSLContext(configuration: configuration) else {
            throw StartError("--ca takes a file with certificates in PEM form, not \"\(self.authorities ?? "")\"")
        }
        return context
    }
}

/// Asks a running server for its indexes.
package enum IndexListing {
    private static let timeout: TimeAmount = .seconds(10)

    /// - Throws: `StartError` when there is no server at the address, or it does not answer.
    package static func fetch(from access: ServerAccess) async throws -> IndexReport {
        let address = access.address
        var metadata = GRPCMetadata()
        if let token = try access.token() { metadata.append(.authorization, "Bearer \(token)") }
        let (channel, connection) = try await self.connect(to: address, tls: try access.tls())
        do throws(StartError) {
            try access.checkSecrecy(to: channel.remoteAddress)
        } catch {
            try? await channel.close()
            throw error
        }
        let sent = metadata
        let promise = channel.eventLoop.makePromise(of: ListIndexesResponse.self)
        channel.eventLoop.execute {
            AdminClientStub(connection.value, metadata: sent, timeout: Self.timeout).listIndexes(ListIndexesRequest()) {
                result in
                promise.completeWith(
                    result.mapError { StartError("\(address) does not list indexes: \($0.status.message)") }
                )
            }
        }
        do {
            let response = try await promise.futureResult.get()
            try? await channel.close()
            return IndexReport(response.indexes)
        } catch {
            try? await channel.close()
            throw error
        }
    }

    private static func add(_ tls: NIOSSLContext, to channel: any Channel, host: String) throws {
        // A name is sent to the server, an address is not (RFC 6066, section 3).
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: tls, serverHostname: isAddress ? nil : host)
        )
    }

    private static func connect(
        to address: ListenAddress,
        tls: NIOSSLContext?
    ) async throws -> (any Channel, NIOLoopBound<GRPCClientConnection>) {
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(Self.timeout)
                .connect(host: address.host, port: address.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        if let tls { try Self.add(tls, to: channel, host: address.host) }
                        let http2 = HTTP2Connection(role: .client(HTTP2ClientConfiguration()))
                        try channel.pipeline.syncOperations.addHandler(http2)
                        let grpc = GRPCClientConnection(
                            http2,
                            eventLoop: channel.eventLoop,
                            configuration: GRPCClientConfiguration(authority: "\(address)")
                        )
                        return (channel, NIOLoopBound(grpc, eventLoop: channel.eventLoop))
                    }
                }
        } catch let error as NIOConnectionError {
            // One of the addresses' errors is enough.
            let reason = error.connectionErrors.first.map { "\($0.error)" } ?? "the host is not known"
            throw StartError("cannot connect to \(address): \(reason)")
        } catch {
            throw StartError("cannot connect to \(address): \(error)")
        }
    }
}
