import BrasaGRPC
import BrasaHTTP2
import BrasaMessages
package import BrasaOptions
import BrasaWire
import NIOCore
import NIOPosix

/// Asks a running server for its indexes.
package enum IndexListing {
    private static let timeout: TimeAmount = .seconds(10)

    /// - Throws: `StartError` when there is no server at the address, or it does not answer.
    package static func fetch(from address: ListenAddress) async throws -> IndexReport {
        let (channel, connection) = try await self.connect(to: address)
        let promise = channel.eventLoop.makePromise(of: ListIndexesResponse.self)
        channel.eventLoop.execute {
            AdminClientStub(connection.value, timeout: Self.timeout).listIndexes(ListIndexesRequest()) { result in
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

    private static func connect(
        to address: ListenAddress
    ) async throws -> (any Channel, NIOLoopBound<GRPCClientConnection>) {
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(Self.timeout)
                .connect(host: address.host, port: address.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
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
