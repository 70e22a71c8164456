import BrasaTree
import Testing

@testable import BrasaTreeSync

struct ListenTests {
    @Test func `A listen to everything is enough for what is below it`() throws {
        var tree = SyncTree()
        let last = try TreeQuery(limit: .init(1, .last))
        let below = try tree.listen(.all, at: path("/a/b"))
        #expect(below.effects.listens == [.open(try target("/a/b"), tag: nil)])
        let query = try tree.listen(last, at: path("/a"))
        #expect(query.effects.listens == [.open(try target("/a", last), tag: 1)])
        let everything = try tree.listen(.all, at: path("/a"))
        #expect(
            everything.effects.listens == [
                .close(try target("/a", last), tag: 1), .close(try target("/a/b"), tag: nil),
                .open(try target("/a"), tag: nil),
            ]
        )
        #expect(try tree.listen(last, at: path("/a/c")).effects.listens == [])
        // The same query again gets another tag.
        #expect(
            tree.unlisten(everything.listener).listens == [
                .close(try target("/a"), tag: nil), .open(try target("/a", last), tag: 2),
                .open(try target("/a/b"), tag: nil), .open(try target("/a/c", last), tag: 3),
            ]
        )
        #expect(tree.unlisten(query.listener).listens == [.close(try target("/a", last), tag: 2)])
        #expect(tree.unlisten(query.listener).listens == [])
    }

    @Test func `Listeners of one query share a listen, and so do queries that differ in their order alone`() throws {
        var tree = SyncTree()
        let first = try tree.listen(.all, at: path("/a"))
        let second = try tree.listen(TreeQuery(order: .key), at: path("/a"))
        let third = try tree.listen(.all, at: path("/a"))
        #expect(second.effects.listens == [])
        #expect(third.effects.listens == [])
        #expect(tree.unlisten(first.listener).listens == [])
        #expect(tree.unlisten(third.listener).listens == [])
        #expect(tree.unlisten(second.listener).listens == [.close(try target("/a"), tag: nil)])
    }

    @Test func `What was known stays a start for the listens that take over`() throws {
        var tree = SyncTree()
        let all = try tree.listen(.all, at: path("/"))
        _ = tree.receive(try set("/", #"{"a":{"x":1,"y":2},"b":1}"#).push)
        let last = try TreeQuery(order: .key, limit: .init(1, .last))
        _ = try tree.listen(last, at: path("/a"))
        _ = try tree.listen(.all, at: path("/b"))
        _ = tree.unlisten(all.listener)
        #expect(tree.known(try target("/a", last)) == (try node(#"{"y":2}"#)))
        #expect(tree.known(try target("/b")) == (try node("1")))
        #expect(tree.known(try target("/")) == nil)
    }

    @Test func `A place is asked for with what is known beneath it, lest what is not there any more stays`() throws {
        var tree = SyncTree(isStored: true)
        let kept = try node(#"{"c":1}"#)
        _ = try tree.listen(.all, at: path("/a/b"), stored: StoredNode(kept, own: kept))
        let upper = try tree.listen(.all, at: path("/a"))
        #expect(upper.effects.listens.last == .open(try target("/a"), tag: nil))
        #expect(try tree.known(target("/a")) == nil)
        #expect(exported(try tree.assumed(target("/a"))) == #"{"b":{"c":1}}"#)
        // The server has nothing there.
        _ = try tree.receive(set("/a", "null").push)
        _ = try tree.completeListen(target("/a"))
        #expect(try tree.shown(.all, at: path("/a"))?.isAbsent == true)
    }

    @Test func `Of what the disk has of a place only that is told anew of which something later is known below`() throws
    {
        var tree = SyncTree(isStored: true)
        let stored = StoredNode(try node(#"{"b":2,"c":1}"#), own: try node(#"{"b":1,"c":1}"#))
        _ = try tree.listen(.all, at: path("/a"), stored: stored)
        #expect(try tree.shown(.all, at: path("/a")) == stored.node)
        let changes = tree.takeStored()
        guard changes.count == 2, case .used(let used) = changes[0], case .set(let set, let placements) = changes[1]
        else {
            Issue.record("\(changes)")
            return
        }
        #expect([used, set] == [try target("/a"), try target("/a")])
        #expect(placements.map(\.location) == [try TreeLocation("/a/b")])
        #expect(placements.map(\.node) == [try node("2")])
    }

    @Test func `What comes for a listen that was closed is nothing of one that was opened after it`() throws {
        let last = try TreeQuery(order: .child(path("n")), limit: .init(1, .last))
        // The server has no index for the second, and sends everything without its tag.
        for closed in [TreeQuery.all, last] {
            var tree = SyncTree()
            let (listener, _) = try tree.listen(closed, at: path("/a"))
            _ = tree.unlisten(listener)
            _ = try tree.listen(.all, at: path("/a"))
            #expect(try tree.receive(set("/a", #"{"x":1}"#).push).events.isEmpty)
            tree.completeClose(try target("/a", closed == .all ? nil : closed))
            // What the listen began with, nothing, is what there is by now: no more is said.
            _ = tree.completeListen(try target("/a"))
            #expect(try tree.shown(.all, at: path("/a"))?.isAbsent == true)
            #expect(try tree.receive(set("/a/x", "2").push).events.count == 2)
        }
    }

    @Test(arguments: [true, false])
    func `A query below one without an index goes on when that is closed`(_ isAnsweredBefore: Bool) throws {
        var tree = SyncTree()
        let unindexed = try TreeQuery(order: .child(path("n")), limit: .init(1, .last))
        let (listener, _) = try tree.listen(unindexed, at: path("/a"))
        _ = try tree.receive(set("/a", #"{"b":{"x":1,"y":2}}"#).push)
        _ = try tree.completeListen(target("/a", unindexed))
        let last = try TreeQuery(order: .key, limit: .init(1, .last))
        let below = try tree.listen(last, at: path("/a/b"))
        #expect(below.effects.events.last?.description == #"/a/b ={"y":2}"#)
        // With which the server was asked: it has nothing new to say.
        if isAnsweredBefore { _ = try tree.completeListen(target("/a/b", last)) }
        _ = tree.unlisten(listener)
        if !isAnsweredBefore { _ = try tree.completeListen(target("/a/b", last)) }
        try tree.completeClose(target("/a", unindexed))
        #expect(try tree.known(target("/a/b", last)) == node(#"{"y":2}"#))
        let tag = try #require(tree.openListens.last?.tag)
        let events = try tree.receive(update("/a/b", #"{"y":null,"x":3}"#).push, tag: tag).events
        #expect(events.last?.description == #"/a/b ={"x":3}"#)
    }

    @Test func `What comes for a query without an index after it was closed hides nothing of those below`() throws {
        var tree = SyncTree()
        let first = try TreeQuery(order: .key, limit: .init(1, .first))
        let unindexed = try TreeQuery(order: .child(path("n")), limit: .init(1, .last))
        _ = try tree.listen(first, at: path("/"))
        let (listener, _) = try tree.listen(unindexed, at: path("/a"))
        _ = try tree.listen(first, at: path("/a/b"))
        _ = tree.unlisten(listener)
        _ = try tree.receive(set("/a", #"{"c":1}"#).push)
        _ = try tree.completeListen(target("/a/b", first))
        try tree.completeClose(target("/a", unindexed))
        let tag = try #require(tree.openListens.last?.tag)
        let events = try tree.receive(update("/a/b", #"{"x":3}"#).push, tag: tag).events
        #expect(events.last?.description == #"/a/b ={"x":3}"#)
    }

    @Test func `A connection knows nothing of what was closed before it`() throws {
        var engine = TreeSyncEngine()
        _ = try engine.unlisten(engine.listen(.all, at: path("/a")).listener)
        _ = try engine.listen(.all, at: path("/a"))
        engine.connect()
        #expect(try engine.receive(set("/a/x", "1").push, milliseconds: 0).events.count == 1)
    }

    @Test func `What comes for a listen that was closed is not taken`() throws {
        var tree = SyncTree()
        let (listener, _) = try tree.listen(.all, at: path("/a"))
        let last = try TreeQuery(limit: .init(1, .last))
        _ = try tree.listen(last, at: path("/a"))
        _ = tree.unlisten(listener)
        #expect(tree.receive(try set("/a", #"{"x":1}"#).push).events.isEmpty)
        tree.completeClose(try target("/a"))
        let tag = try #require(tree.openListens.first?.tag)
        #expect(tree.receive(try set("/a", #"{"x":2}"#).push, tag: tag).events.count == 2)
        #expect(tree.receive(try set("/a", #"{"x":3}"#).push, tag: tag + 1).events.isEmpty)
    }

    @Test func `A refused listen tells its listeners and ends, and those below listen for themselves`() throws {
        var tree = SyncTree()
        let (listener, _) = try tree.listen(.all, at: path("/a"))
        _ = try tree.listen(.all, at: path("/a/b"))
        let effects = tree.refuse(try target("/a"), status: "permission_denied")
        #expect(effects.events.map(\.description) == ["/a refused: permission_denied"])
        #expect(effects.listens == [.open(try target("/a/b"), tag: nil)])
        #expect(tree.unlisten(listener).listens == [])
        #expect(tree.refuse(try target("/a"), status: "permission_denied").events.isEmpty)
    }

    @Test(arguments: ["permission_denied", "too_big", "unavailable"])
    func `What may not be read is forgotten, and what cannot be had is kept`(_ status: String) throws {
        var tree = SyncTree(isStored: true)
        _ = try tree.listen(.all, at: path("/a"))
        _ = tree.receive(try set("/a", #"{"x":1}"#).push)
        _ = tree.takeStored()
        _ = tree.refuse(try target("/a"), status: status)
        let kept = tree.takeStored().map { if case .closed = $0 { true } else { false } }
        #expect(kept == [status != "permission_denied"])
    }

    @Test func `An answer without data means that there is none`() throws {
        var tree = SyncTree()
        _ = try tree.listen(.all, at: path("/a"))
        #expect(tree.completeListen(try target("/a")).events.map(\.description) == ["/a =null"])
        #expect(tree.completeListen(try target("/a")).events.isEmpty)
        let last = try TreeQuery(limit: .init(1, .last))
        _ = try tree.listen(last, at: path("/b"))
        #expect(tree.completeListen(try target("/b", last)).events.map(\.description) == ["/b =null"])
    }

    @Test func `What is kept synced is listened to without anybody to be told`() throws {
        var tree = SyncTree()
        let kept = try tree.keepSynced(true, .all, at: path("/a"))
        #expect(kept.listens == [.open(try target("/a"), tag: nil)])
        #expect(tree.receive(try set("/a", "1").push).events.isEmpty)
        let (listener, effects) = try tree.listen(.all, at: path("/a"))
        #expect(effects.events.map(\.description) == ["/a =1"])
        #expect(tree.unlisten(listener).listens == [])
        #expect(try tree.keepSynced(false, .all, at: path("/a")).listens == [.close(try target("/a"), tag: nil)])
    }

    @Test func `A listener below a query's window begins with what that shows`() throws {
        var tree = SyncTree()
        let last = try TreeQuery(limit: .init(1, .last))
        _ = try tree.listen(last, at: path("/posts"))
        _ = tree.receive(try set("/posts", #"{"p":{"n":1}}"#).push, tag: 1)
        let (_, effects) = try tree.listen(.all, at: path("/posts/p"))
        #expect(effects.events.map(\.description) == ["/posts/p +n=1", #"/posts/p ={"n":1}"#])
        #expect(effects.listens == [.open(try target("/posts/p"), tag: nil)])
    }

    @Test func `Ranges replace what is known`() throws {
        var tree = SyncTree()
        _ = try tree.listen(.all, at: path("/a"))
        _ = tree.receive(try set("/a", #"{"b":1,"c":2,"d":3}"#).push)
        let merge = RangeMerge(start: LeafPath("b"), end: LeafPath("c"), node: try node(#"{"c":5}"#))
        let events = tree.receive([merge], at: try path("/a")).events
        #expect(events.map(\.description) == ["/a ~c<b=5", #"/a ={"b":1,"c":5,"d":3}"#])
    }

    @Test func `Ranges replace a part of what is known below, of which the server was told`() throws {
        var tree = SyncTree()
        _ = try tree.listen(.all, at: path("/a"))
        _ = tree.receive(try set("/a", #"{"b":1,"c":2,"d":3}"#).push)
        _ = try tree.listen(.all, at: path("/"))
        #expect(tree.assumed(try target("/")) == (try node(#"{"a":{"b":1,"c":2,"d":3}}"#)))
        let merge = RangeMerge(start: LeafPath("a/b"), end: LeafPath("a/c"), node: try node(#"{"a":{"c":5}}"#))
        let events = tree.receive([merge], at: try path("/")).events
        #expect(events.last?.description == #"/ ={"a":{"b":1,"c":5,"d":3}}"#)
        #expect(tree.known(try target("/a")) == (try node(#"{"b":1,"c":5,"d":3}"#)))
    }

    @Test func `Ranges replace a part of what a query knows, of which the server was told`() throws {
        var tree = SyncTree()
        let first = try TreeQuery(limit: .init(2, .first))
        _ = try tree.listen(first, at: path("/a"))
        _ = tree.receive(try set("/a/b", "1").push, tag: 1)
        #expect(tree.known(try target("/a", first)) == nil)
        #expect(tree.assumed(try target("/a", first)) == (try node(#"{"b":1}"#)))
        let merge = RangeMerge(start: LeafPath("b"), end: nil, node: try node(#"{"c":2}"#))
        let events = tree.receive([merge], at: try path("/a"), tag: 1).events
        #expect(events.last?.description == #"/a ={"b":1,"c":2}"#)
    }

    private func target(_ text: String, _ query: TreeQuery? = nil) throws -> TreeTarget {
        TreeTarget(try path(text), query)
    }
}
