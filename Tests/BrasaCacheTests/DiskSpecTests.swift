import BrasaSync
import Testing

@testable import BrasaCache
@testable import BrasaSyncSpecification

@Suite struct DiskSpecTests {
    private static let disk = SpecMode(name: "disk", isDurable: true) { _ in try DiskSpecCache() }

    @Test(.enabled(if: SpecSuite.portable != nil, "BRASA_SPEC_TESTS names no folder that has them"))
    func `The portable cases pass on a disk`() throws {
        let failures = try SpecSuite.portable?.run(Self.disk)
        #expect(failures == [])
    }

    @Test func `Our own cases pass on a disk`() throws {
        let failures = try SpecSuite.own.run(Self.disk)
        #expect(failures == [])
    }
}

/// Closed and opened where the client is restarted.
private final class DiskSpecCache: SpecCache {
    private let folder: TemporaryFolder
    private var storage: DiskStorage?

    init() throws {
        self.folder = try TemporaryFolder()
    }

    func open() throws -> any SyncStorage {
        self.storage?.close()
        let storage = try DiskStorage(folder: self.folder.path, database: SpecModel.database())
        self.storage = storage
        return storage
    }
}
