import BrasaDocuments
package import BrasaGRPC
package import BrasaIdentity
import BrasaMessages
import BrasaService
import BrasaWire
package import NIOCore

/// The gRPC door of one event loop: which method of which service a path is, decoded, handed over, and how its answer is
/// encoded. Filled at start.
package struct GRPCDoor: Sendable {
    package private(set) var methods = GRPCMethodTable()
    private let callers = GRPCCallers()

    package init() {}

    /// Where the calls of a connection come by before anything is made of their messages.
    package func gate(_ reception: Reception) -> GRPCGate { self.callers.gate(reception) }

    /// Once a second: ends the open streams of whoever would not be let in any more.
    package func endOutlived(_ server: GRPCServer, on eventLoop: any EventLoop) {
        self.callers.endOutlived(server, on: eventLoop)
    }

    /// Who asks, as the call's service is told.
    package var callerOf: @Sendable (GRPCServerCall) -> Caller {
        let callers = self.callers
        return { callers[$0] }
    }

    /// - Parameter refused: told of a request that could not be read, whose call is finished.
    mutating func unary<Request, Response: WireResponse>(
        _ descriptor: GRPCMethodDescriptor,
        messageBytesMax: Int? = nil,
        decode: @escaping @Sendable (ByteBuffer) throws(WireError) -> Request,
        refused: @escaping @Sendable (ByteBuffer, Caller) -> Void = { _, _ in },
        _ method: @escaping @Sendable (Request, Call<Response>) -> Void
    ) {
        let (door, callers) = (Door<GRPCServerCall, Response>.grpc, self.callers)
        self.methods.register(
            descriptor,
            messageBytesMax: messageBytesMax,
            .unary { call, message in
                let caller = callers[call]
                do throws(WireError) {
                    method(try decode(message), door.call(call, by: caller, requestBytes: message.readableBytes))
                } catch {
                    call.finish(error.status)
                    refused(message, caller)
                }
            }
        )
    }

    mutating func serverStreaming<Request, Response: WireResponse>(
        _ descriptor: GRPCMethodDescriptor,
        messageBytesMax: Int? = nil,
        _ door: Door<GRPCServerCall, Response> = .grpc,
        decode: @escaping @Sendable (ByteBuffer) throws(WireError) -> Request,
        _ method: @escaping @Sendable (Request, Call<Response>) -> CallObserver?
    ) {
        let callers = self.callers
        self.methods.register(
            descriptor,
            messageBytesMax: messageBytesMax,
            .serverStreaming { call, message in
                let request = call.decode { () throws(WireError) in try decode(message) }
                guard let request else { return nil }
                return method(request, door.call(call, by: callers[call], requestBytes: message.readableBytes))
            }
        )
    }

    mutating func bidirectional<Request, Response: WireResponse>(
        _ descriptor: GRPCMethodDescriptor,
        messageBytesMax: Int? = nil,
        _ door: Door<GRPCServerCall, Response> = .grpc,
        database: @escaping @Sendable (Request) -> DatabaseName? = { _ in nil },
        decode: @escaping GRPCRequestReader<Request>.Decode,
        _ method: @escaping @Sendable (Call<Response>) -> RequestObserver<Request>
    ) {
        let callers = self.callers
        self.methods.register(
            descriptor,
            messageBytesMax: messageBytesMax,
            .bidirectional { call in
                let observer = method(door.call(call, by: callers[call]))
                return GRPCRequestReader(call, observer, database: database, decode: decode)
            }
        )
    }
}
