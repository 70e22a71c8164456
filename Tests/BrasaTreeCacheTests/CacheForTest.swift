import BrasaCacheFile
import BrasaTree
import BrasaTreeSync
import Foundation
import Synchronization

@testable import BrasaTreeCache

/// A folder with a cache that can be opened again and again; gone with this object.
final class CacheForTest {
    let folder: String
    private(set) var storage: TreeDiskStorage?
    let faults = Faults()

    final class Faults: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { self.lines.withLock { $0.append(line) } }
        var all: [String] { self.lines.withLock { $0 } }
    }

    init(bytesMax: Int = 10 << 20) throws {
        self.folder = FileManager.default.temporaryDirectory.appending(path: "brasa-tree-\(UUID().uuidString)").path
        try self.open(bytesMax: bytesMax)
    }

    func open(bytesMax: Int = 10 << 20) throws {
        // The one before closes the file as it goes.
        self.storage = nil
        self.storage = try TreeDiskStorage(folder: self.folder, bytesMax: bytesMax) { [faults] in faults.add($0) }
    }

    func close() { self.storage = nil }

    func apply(_ changes: StoredChange...) { self.storage?.apply(changes) }

    func node(_ target: TreeTarget) -> StoredNode? { self.storage?.node(of: target) }

    var pages: Int {
        get throws {
            self.close()
            let count = Int(try CacheFile(self.file).integers("PRAGMA page_count").first ?? 0)
            try self.open()
            return count
        }
    }

    var file: String { "\(self.folder)/cache.sqlite" }

    deinit {
        self.storage = nil
        try? FileManager.default.removeItem(atPath: self.folder)
    }
}

func path(_ text: String) throws -> TreePath { try TreePath(text) }

/// A node of export form.
func node(_ text: String) throws -> TreeNode { try TreeTemplate(parsing: Array(text.utf8)).node }

func exported(_ node: TreeNode?) -> String? { node.map { String(decoding: $0.text(.export), as: UTF8.self) } }

func placement(_ location: String, _ text: String) throws -> TreeChange.Placement {
    TreeChange.Placement(location: try TreeLocation(location), node: try node(text))
}
