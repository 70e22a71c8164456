import BrasaCacheFile
import BrasaTree
import BrasaTreeSync
import Foundation
import GRDB
import Testing

@testable import BrasaTreeCache

@Suite("The cache on disk")
struct TreeDiskStorageTests {
    private let top = TreeTarget(.root)

    @Test("What is known of a target is there after the file was closed; nothing of others")
    func reopening() throws {
        let cache = try CacheForTest()
        let target = TreeTarget(try path("a"))
        cache.apply(.closed(target))
        #expect(cache.node(target) == nil)
        cache.apply(.set(target, [try placement("a", #"{"b":1}"#)]), .set(target, [try placement("a/c", "2")]))
        #expect(exported(cache.node(target)?.node) == #"{"b":1,"c":2}"#)
        try cache.open()
        #expect(exported(cache.node(target)?.node) == #"{"b":1,"c":2}"#)
        #expect(cache.node(TreeTarget(try path("c"))) == nil)
        cache.apply(.used(target), .set(target, [try placement("a/b", "null")]))
        try cache.open()
        #expect(exported(cache.node(target)?.node) == #"{"c":2}"#)
        // Not used before: the first is all of it.
        cache.apply(.set(target, [try placement("a", #"{"d":3}"#)]))
        #expect(exported(cache.node(target)?.node) == #"{"d":3}"#)
    }

    @Test("What is forgotten is not there, and is nothing of what comes under its name afterwards")
    func refusal() throws {
        let cache = try CacheForTest()
        cache.apply(.set(self.top, [try placement("", #"{"a":1}"#)]))
        cache.apply(.forgotten(self.top))
        #expect(cache.node(self.top) == nil)
        cache.apply(.set(self.top, [try placement("", #"{"b":2}"#)]))
        try cache.open()
        #expect(exported(cache.node(self.top)?.node) == #"{"b":2}"#)
    }

    @Test("A place is also known by what contains it; the one that was used last counts")
    func containing() throws {
        let cache = try CacheForTest()
        let (upper, lower) = (TreeTarget(try path("a")), TreeTarget(try path("a/b")))
        cache.apply(.set(lower, [try placement("a/b", #"{"c":1}"#)]))
        cache.apply(.closed(lower), .set(upper, [try placement("a", #"{"b":{"c":2},"bb":3}"#)]))
        #expect(exported(cache.node(lower)?.node) == #"{"c":2}"#)
        #expect(cache.node(lower)?.isOwn == false)
        let limited = try TreeTarget(path("a"), TreeQuery(order: .key, limit: .init(1, .first)))
        #expect(exported(cache.node(limited)?.node) == #"{"b":{"c":2},"bb":3}"#)
        cache.apply(.set(lower, [try placement("a/b", #"{"c":4}"#)]))
        #expect(exported(cache.node(lower)?.node) == #"{"c":4}"#)
        #expect(cache.node(lower)?.isOwn == true)
        cache.apply(.set(limited, [try placement("a", #"{"b":5}"#)]))
        #expect(exported(cache.node(limited)?.node) == #"{"b":5}"#)
        #expect(exported(cache.node(TreeTarget(try path("a/bb")))?.node) == "3")
        #expect(exported(cache.node(TreeTarget(try path("a/bb/c")))?.node) == "null")
    }

    @Test("Queued writes come back in order, with what they were expected to make")
    func queue() throws {
        let cache = try CacheForTest()
        let texts = [
            ("a", #"{".priority":1.5,".value":"x"}"#, "null"), ("a/b", #"{".sv":{"increment":2}}"#, "44"),
            ("", #"{"t":{".sv":"timestamp"},"u":[true,"é\u0001"]}"#, #"{"t":7}"#), ("a", "null", "null"),
        ]
        var writes: [PendingWrite] = []
        for (id, (place, text, made)) in texts.enumerated() {
            let location = TreeLocation(try path(place))
            let write = try TreeWrite.set(TreeTemplate(parsing: Array(text.utf8)), at: location)
            let placements = [TreeChange.Placement(location: location, node: try node(made))]
            let change = TreeChange(path: location.path, isUpdate: false, placements: placements)
            writes.append(PendingWrite(id: id * 3, write: write, change: change, isShown: true))
        }
        let entries: [UpdateReader.Entry] = [
            (location: try TreeLocation("x/.priority"), template: TreeTemplate(.leaf(.integer(9_007_199_254_740_993)))),
            (location: try TreeLocation("y"), template: TreeTemplate(.absent)),
        ]
        let update = try TreeWrite.update(entries, at: path("b"))
        writes.append(PendingWrite(id: 20, write: update, change: update.workedOut(in: .absent, 0), isShown: true))
        cache.storage?.apply(writes.map { .queued($0) })
        try cache.open()
        let found = try #require(cache.storage?.queuedWrites())
        #expect(found.map(\.id) == [0, 3, 6, 9, 20])
        #expect(
            found.map { String(decoding: $0.text, as: UTF8.self) }
                == writes.map { String(decoding: $0.text, as: UTF8.self) }
        )
        #expect(found[1].write.assignments.first?.template.serverValues != nil)
        #expect(found[1].change.placements.first?.node == .leaf(.integer(44)))
        #expect(found[4].write.isUpdate && found[4].write.assignments.first?.location.isPriority == true)
        cache.apply(.unqueued(3), .unqueued(0))
        try cache.open()
        #expect(cache.storage?.queuedWrites().map(\.id) == [6, 9, 20])
    }

    @Test("What nobody listens to goes where more is taken than should be, the oldest first; the rest stays")
    func size() throws {
        let cache = try CacheForTest(bytesMax: 1 << 20)
        let text = String(repeating: "x", count: 1_000)
        let targets = try (0..<8).map { TreeTarget(try path("t\($0)")) }
        for (index, target) in targets.enumerated() {
            let children = try (0..<400).map { (key: try TreeKey("k\($0)"), node: TreeNode(.string(TreeText(text)))) }
            let placement = TreeChange.Placement(
                location: TreeLocation(target.path),
                node: TreeNode(children: children)
            )
            cache.apply(.set(target, [placement]))
            if index != 0, index != 7 { cache.apply(.closed(target)) }
        }
        let kept = targets.indices.filter { cache.node(targets[$0]) != nil }
        #expect(kept.contains(0) && kept.contains(7))
        #expect(kept.count <= 3)
        #expect(cache.node(targets[0])?.node.childCount == 400)
        #expect(cache.faults.all.isEmpty)
    }

    @Test("One object at a time has it open, and a file of somebody else's is left alone")
    func opening() throws {
        let cache = try CacheForTest()
        let error = try #require(throws: DiskStorageError.self) {
            _ = try TreeDiskStorage(folder: cache.folder, bytesMax: 1, log: { _ in })
        }
        #expect(error.code == .inUse)
        cache.close()
        try DatabaseQueue(path: cache.file).write { try $0.execute(sql: "PRAGMA application_id = 7") }
        #expect(throws: DiskStorageError.self) { try cache.open() }
        try Data("no database, whatever its name says, but long enough".utf8).write(to: URL(filePath: cache.file))
        let damaged = try #require(throws: DiskStorageError.self) { try cache.open() }
        #expect(damaged.code == .damaged)
    }

    @Test("What cannot be read is not there, and is told")
    func damage() throws {
        let cache = try CacheForTest()
        cache.apply(.set(self.top, [try placement("a", "1")]))
        cache.close()
        try DatabaseQueue(path: cache.file).write { try $0.execute(sql: "UPDATE nodes SET value = x'7b'") }
        try cache.open()
        #expect(cache.node(self.top) == nil)
        #expect(cache.faults.all.count == 1)
    }

    @Test("What a full disk refuses is kept for when there is room")
    func fullDisk() throws {
        let cache = try CacheForTest()
        cache.close()
        let pages = try DatabaseQueue(path: cache.file).read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
        try cache.open()
        try cache.storage?.limit(pages: pages + 4)
        let large = try placement("a", "\"\(String(repeating: "x", count: 100_000))\"")
        cache.apply(.set(self.top, [large]))
        #expect(cache.faults.all.count == 1)
        #expect(cache.node(self.top) == nil)
        try cache.storage?.limit(pages: 1_000_000)
        cache.apply(.set(self.top, [try placement("b", "1")]))
        #expect(cache.node(self.top)?.node.childCount == 2)
    }
}
