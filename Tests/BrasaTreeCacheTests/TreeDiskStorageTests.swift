import BrasaCacheFile
import BrasaTree
import BrasaTreeSync
import Foundation
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
        #expect(cache.node(lower).map { $0.own == nil } == true)
        let limited = try TreeTarget(path("a"), TreeQuery(order: .key, limit: .init(1, .first)))
        #expect(exported(cache.node(limited)?.node) == #"{"b":{"c":2},"bb":3}"#)
        cache.apply(.set(lower, [try placement("a/b", #"{"c":4}"#)]))
        #expect(exported(cache.node(lower)?.node) == #"{"c":4}"#)
        #expect(exported(cache.node(lower)?.own) == #"{"c":4}"#)
        cache.apply(.set(limited, [try placement("a", #"{"b":5}"#)]))
        #expect(exported(cache.node(limited)?.node) == #"{"b":5}"#)
        #expect(exported(cache.node(TreeTarget(try path("a/bb")))?.node) == "3")
        #expect(exported(cache.node(TreeTarget(try path("a/bb/c")))?.node) == "null")
    }

    @Test(
        "What was known later of a place below counts more, whatever either is",
        arguments: [
            (#"{"b":{"c":1},"d":2}"#, "null", #"{"d":2}"#),
            (#"{"b":{"c":1},"d":2}"#, "3", #"{"b":3,"d":2}"#),
            (#"{"b":{"c":1},"d":2}"#, #"{".priority":5,".value":3}"#, #"{"b":{".priority":5,".value":3},"d":2}"#),
            (#"{"b":{"c":1}}"#, "null", "null"),
            ("1", #"{"c":4}"#, #"{"b":{"c":4}}"#),
            (#"{".priority":7,".value":1}"#, "null", #"{".priority":7,".value":1}"#),
            (#"{".priority":7,"d":2}"#, #"{"c":4}"#, #"{".priority":7,"b":{"c":4},"d":2}"#),
            ("null", #"{"c":4}"#, #"{"b":{"c":4}}"#),
        ]
    )
    func laterBelow(_ above: String, _ below: String, _ both: String) throws {
        let cache = try CacheForTest()
        let (upper, lower) = (TreeTarget(try path("a")), TreeTarget(try path("a/b")))
        cache.apply(.set(upper, [try placement("a", above)]), .closed(upper))
        cache.apply(.set(lower, [try placement("a/b", below)]), .closed(lower))
        try cache.open()
        #expect(exported(cache.node(upper)?.node) == exported(try node(both)))
        #expect(exported(cache.node(upper)?.own) == exported(try node(above)))
        #expect(exported(cache.node(lower)?.node) == exported(try node(below)))
        // What is said of all afterwards counts most.
        cache.apply(.set(upper, [try placement("a", above)]))
        try cache.open()
        #expect(exported(cache.node(upper)?.node) == exported(try node(above)))
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
        try CacheFile(cache.file).execute("PRAGMA application_id = 7")
        #expect(throws: DiskStorageError.self) { try cache.open() }
        try Data("no database, whatever its name says, but long enough".utf8).write(to: URL(filePath: cache.file))
        let damaged = try #require(throws: DiskStorageError.self) { try cache.open() }
        #expect(damaged.code == .damaged)
    }

    @Test(
        "What cannot be read is not there, and is told",
        arguments: [
            "UPDATE nodes SET value = x'7b'", "UPDATE nodes SET value = 7", "UPDATE nodes SET path = x'2f00'",
            "UPDATE nodes SET path = x'61'", "UPDATE nodes SET path = x'6100612e'", "UPDATE targets SET known = x'01'",
        ]
    )
    func damage(_ sql: String) throws {
        let cache = try CacheForTest()
        cache.apply(.set(self.top, [try placement("a", "1")]))
        cache.close()
        try CacheFile(cache.file).execute(sql)
        try cache.open()
        #expect(cache.node(self.top) == nil)
        #expect(cache.faults.all.count == 1)
    }

    @Test("A queued write that cannot be read is not passed over: others may stand on it")
    func damagedQueue() throws {
        let cache = try CacheForTest()
        let write = try TreeWrite.set(TreeTemplate(.leaf(.integer(1))), at: TreeLocation("a"))
        cache.apply(.queued(PendingWrite(id: 0, write: write, change: write.workedOut(in: .absent, 0), isShown: true)))
        cache.close()
        for sql in ["UPDATE writes SET text = 'x'", "UPDATE writes SET text = x'7b7d'"] {
            try CacheFile(cache.file).execute(sql)
            #expect(try #require(throws: DiskStorageError.self) { try cache.open() }.code == .damaged)
        }
    }

    @Test("A full disk keeps queued writes rather than targets, which are kept again after the next start")
    func fullDisk() throws {
        let cache = try CacheForTest()
        cache.apply(.set(self.top, [try placement("", #"{"old":1}"#)]))
        let pages = try cache.pages
        try cache.storage?.limit(pages: pages + 4)
        let write = try TreeWrite.set(TreeTemplate(.leaf(.integer(1))), at: TreeLocation("a"))
        let queued = PendingWrite(id: 3, write: write, change: write.workedOut(in: .absent, 0), isShown: true)
        let large = try placement("a", "\"\(String(repeating: "x", count: 100_000))\"")
        cache.apply(.queued(queued), .set(self.top, [large]))
        #expect(cache.faults.all.count == 1)
        #expect(cache.node(self.top) == nil)
        try cache.storage?.limit(pages: 1_000_000)
        // It would be no more than a part.
        cache.apply(.set(self.top, [try placement("b", "1")]))
        #expect(cache.node(self.top) == nil)
        try cache.open()
        #expect(cache.storage?.queuedWrites().map(\.id) == [3])
        #expect(cache.node(self.top) == nil)
        cache.apply(.set(self.top, [try placement("", #"{"new":1}"#)]))
        #expect(exported(cache.node(self.top)?.node) == #"{"new":1}"#)
    }

    @Test("What a full disk refuses of a target alone is forgotten, too")
    func fullDiskWithoutWrites() throws {
        let cache = try CacheForTest()
        cache.apply(.set(self.top, [try placement("", #"{"old":1}"#)]))
        let pages = try cache.pages
        try cache.storage?.limit(pages: pages + 4)
        cache.apply(.set(self.top, [try placement("a", "\"\(String(repeating: "x", count: 100_000))\"")]))
        #expect(cache.faults.all.count == 1)
        try cache.open()
        #expect(cache.node(self.top) == nil)
    }

    @Test("To be listened to again makes nothing newer; to be confirmed by the server does")
    func uses() throws {
        let cache = try CacheForTest()
        let (upper, lower) = (TreeTarget(try path("a")), TreeTarget(try path("a/b")))
        cache.apply(.set(upper, [try placement("a", #"{"b":1}"#)]), .set(lower, [try placement("a/b", "2")]))
        try cache.open()
        cache.apply(.used(upper))
        #expect(exported(cache.node(lower)?.node) == "2")
        cache.apply(.confirmed(upper))
        #expect(exported(cache.node(lower)?.node) == "1")
    }

    @Test("What is known later of a place below counts, whichever is asked for")
    func laterBelow() throws {
        let cache = try CacheForTest()
        let (upper, lower) = (TreeTarget(try path("a")), TreeTarget(try path("a/b")))
        cache.apply(.set(upper, [try placement("a", #"{"b":{"c":1},"d":1}"#)]), .closed(upper))
        cache.apply(.set(lower, [try placement("a/b", #"{"c":2}"#)]), .closed(lower))
        try cache.open()
        #expect(exported(cache.node(upper)?.node) == #"{"b":{"c":2},"d":1}"#)
        #expect(exported(cache.node(upper)?.own) == #"{"b":{"c":1},"d":1}"#)
        #expect(exported(cache.node(lower)?.node) == #"{"c":2}"#)
        cache.apply(.set(upper, [try placement("a", #"{"b":{"c":3},"d":1}"#)]))
        #expect(exported(cache.node(lower)?.node) == #"{"c":3}"#)
        #expect(exported(cache.node(upper)?.own) == #"{"b":{"c":3},"d":1}"#)
    }

    @Test("A node whose children all change keeps its priority")
    func priorities() throws {
        let cache = try CacheForTest()
        let (old, new) = (try node(#"{".priority":1,"x":1}"#), try node(#"{".priority":1,"y":2}"#))
        cache.apply(.set(self.top, [try placement("", #"{"a":{".priority":1,"x":1}}"#)]))
        cache.apply(.set(self.top, new.placements(from: old, at: try path("a"))))
        #expect(exported(cache.node(self.top)?.node) == #"{"a":{"y":2,".priority":1}}"#)
    }
}
