internal import BrasaApp
internal import BrasaSync
public import Foundation
internal import Synchronization

/// Indexes on fields of the documents in the cache on disk, which make queries on it fast. They say nothing to the server.
public final class PersistentCacheIndexManager: Sendable {
    private let firestore: Firestore

    fileprivate init(_ firestore: Firestore) {
        self.firestore = firestore
    }

    /// From now on a query that looks at many cached documents to find few is given indexes. Off whenever a program starts.
    public func enableIndexAutoCreation() {
        self.core().run { client in client.setIndexAutoCreation(true) }
    }

    /// Indexes that are there stay in use.
    public func disableIndexAutoCreation() {
        self.core().run { client in client.setIndexAutoCreation(false) }
    }

    public func deleteAllIndexes() {
        self.core().run { client in client.deleteAllIndexes() }
    }

    private func core() -> ClientCore {
        trapping { () throws(UsageError) in try self.firestore.core() }
    }
}

extension Firestore {
    /// Nil for a cache in memory, which has no indexes.
    public var persistentCacheIndexManager: PersistentCacheIndexManager? {
        _ = trapping { () throws(UsageError) in try self.start() }
        let isPersistent = self.state.withLock { $0.settings.cache.kind.isPersistent }
        return isPersistent ? PersistentCacheIndexManager(self) : nil
    }

    /// Replaces all indexes of the cache on disk by those that a JSON text lists. A cache in memory stays without.
    @available(*, deprecated, message: "Use persistentCacheIndexManager.")
    public func setIndexConfiguration(_ json: String, completion: (((any Error)?) -> Void)?) {
        let core = trapping { () throws(UsageError) in try self.core() }
        core.setIndexes([UInt8](json.utf8)) { error in
            if let completion { core.tell { completion(error) } }
        }
    }

    @available(*, deprecated, message: "Use persistentCacheIndexManager.")
    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    public func setIndexConfiguration(_ json: String) {
        self.setIndexConfiguration(json, completion: nil)
    }

    @available(*, deprecated, message: "Use persistentCacheIndexManager.")
    nonisolated(nonsending) public func setIndexConfiguration(_ json: String) async throws {
        let core = try throwing { () throws(UsageError) in try self.core() }
        try await core.setIndexes([UInt8](json.utf8))
    }

    @available(*, deprecated, message: "Use persistentCacheIndexManager.")
    public func setIndexConfiguration(_ stream: InputStream, completion: (((any Error)?) -> Void)?) {
        let core = trapping { () throws(UsageError) in try self.core() }
        let completion = Handed(completion)
        stream.readToEnd { result in
            switch result {
            case .success(let json):
                core.setIndexes(json) { error in
                    if let completion = completion.value { core.tell { completion(error) } }
                }
            case .failure(let error):
                if let completion = completion.value { core.tell { completion(error.nsError) } }
            }
        }
    }

    @available(*, deprecated, message: "Use persistentCacheIndexManager.")
    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completion: nil")
    public func setIndexConfiguration(_ stream: InputStream) {
        self.setIndexConfiguration(stream, completion: nil)
    }

    @available(*, deprecated, message: "Use persistentCacheIndexManager.")
    nonisolated(nonsending) public func setIndexConfiguration(_ stream: InputStream) async throws {
        let core = try throwing { () throws(UsageError) in try self.core() }
        try await core.setIndexes(try await stream.readToEnd())
    }
}

extension ClientCore {
    fileprivate func setIndexes(_ json: [UInt8], _ completion: @escaping (NSError?) -> Void) {
        self.run { client in client.setIndexConfiguration(json) { completion($0?.nsError) } }
    }

    fileprivate func setIndexes(_ json: [UInt8]) async throws {
        try await self.wait { client, done in client.setIndexConfiguration(json, completion: done) }
    }
}
