@testable import BrasaSync

/// What the cache is like.
struct SpecMode: Sendable, CustomStringConvertible {
    let name: String
    /// Whether it outlives the client; the longest unused documents are collected then.
    let isDurable: Bool
    /// For one case.
    let makeCache: @Sendable (SpecCase) throws -> any SpecCache

    var description: String { self.name }

    /// Gone with the client, with the collector that the case asks for.
    static let memory = SpecMode(name: "memory", isDurable: false) { MemorySpecCache($0) }
    /// Outlives the client, as one on a disk does.
    static let kept = SpecMode(name: "kept", isDurable: true) { _ in KeptSpecCache() }
}

/// The cache of one case's clients, which follow one another.
protocol SpecCache: AnyObject {
    /// For the next client; the one before it has ended.
    func open() throws -> any SyncStorage
}

private final class MemorySpecCache: SpecCache {
    private let collector: MemoryStorage.Collector

    init(_ specification: SpecCase) {
        self.collector = specification.usesEagerCollector ? .eager : .leastRecentlyUsed
    }

    func open() -> any SyncStorage { MemoryStorage(collector: self.collector) }
}

private final class KeptSpecCache: SpecCache {
    private let storage = MemoryStorage(collector: .leastRecentlyUsed)

    func open() -> any SyncStorage {
        self.storage.viewReferences.removeAll()
        return self.storage
    }
}
