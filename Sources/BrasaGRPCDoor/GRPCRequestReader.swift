import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaService
import BrasaWire
import NIOCore

/// Reads the requests of a call that has any number of them, the first of which may name the database of all, and hands
/// them to the service. Used on the call's event loop only.
final class GRPCRequestReader<Request>: GRPCServerStreamHandler {
    typealias Decode = @Sendable (ByteBuffer, _ database: DatabaseName?) throws(WireError) -> Request

    private let call: GRPCServerCall
    private let observer: RequestObserver<Request>
    private let decode: Decode
    private let databaseOf: @Sendable (Request) -> DatabaseName?
    /// Nil before the first request, and where requests name none.
    private var database: DatabaseName?

    init(
        _ call: GRPCServerCall,
        _ observer: RequestObserver<Request>,
        database: @escaping @Sendable (Request) -> DatabaseName?,
        decode: @escaping Decode
    ) {
        self.call = call
        self.observer = observer
        self.databaseOf = database
        self.decode = decode
    }

    func received(message: ByteBuffer) {
        let request: Request
        do throws(WireError) {
            request = try self.decode(message, self.database)
        } catch {
            return self.observer.failed(error.status)
        }
        if self.database == nil { self.database = self.databaseOf(request) }
        self.observer.received(request, byteCount: message.readableBytes)
    }

    func halfClosed() { self.observer.halfClosed() }
    func becameWritable() { self.observer.becameWritable() }
    func cancelled() { self.observer.cancelled() }
    func draining() { self.observer.draining() }

    func failed(_ status: GRPCStatus) -> Bool {
        self.observer.failed(Status(status))
        return true
    }
}
