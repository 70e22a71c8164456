internal import BrasaApp
internal import BrasaTree
internal import BrasaTreeLink
internal import Foundation

extension DatabaseQuery {
    /// Reads once: what is listened to and known answers, else the server. Without a connection for three seconds, that is
    /// an error.
    public final func getData(completion block: @escaping ((any Error)?, DataSnapshot?) -> Void) {
        let handed = Handed(block)
        let queue = self.database.handlerQueue
        self.read { result in
            queue.async {
                switch result {
                case .success(let snapshot): handed.value(nil, snapshot)
                case .failure(let error): handed.value(error, nil)
                }
            }
        }
    }

    nonisolated(nonsending) public final func getData() async throws -> DataSnapshot {
        let waiter = Waiter<Result<DataSnapshot, any Error>>()
        self.read { result in waiter.finish(result.mapError { $0 as any Error }) }
        return try await waiter.wait()
    }

    private func read(_ done: @escaping @Sendable (Result<DataSnapshot, NSError>) -> Void) {
        do throws(DatabaseFault) {
            let (source, path) = try self.place.readable
            let query = try self.definition.query()
            let core = try self.database.core().get()
            core.get(query, at: path, of: source) { answer in
                switch answer {
                case .node(let node): done(.success(DataSnapshot(self.ref, node, query.order)))
                case .done: done(.success(DataSnapshot(self.ref, .absent)))
                case .refused(let status, let message):
                    done(.failure(DatabaseFault(status: status, message: message).nsError))
                case .offline: done(.failure(DatabaseFault.offline("/\(self.place.text)")))
                }
            }
        } catch {
            done(.failure(error.nsError))
        }
    }
}
