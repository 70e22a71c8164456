import BrasaTree
import Testing

@testable import BrasaTreeSync

struct WriteTests {
    @Test func `A write shows at once, the lower listeners told first, and is taken back when it is refused`() throws {
        var tree = SyncTree()
        for place in ["/", "/a", "/a/b"] { _ = try tree.listen(.all, at: path(place)) }
        _ = tree.receive(try set("/", #"{"a":{"b":1}}"#).push)
        let (write, effects) = tree.write(try set("/a/b", "2"), milliseconds: 0)
        #expect(
            effects.events.map(\.description) == [
                "/a/b =2", "/a ~b=2", #"/a ={"b":2}"#, #"/ ~a={"b":2}"#, #"/ ={"a":{"b":2}}"#,
            ]
        )
        #expect(
            tree.revert(write.id).events.map(\.description) == [
                "/a/b =1", "/a ~b=1", #"/a ={"b":1}"#, #"/ ~a={"b":1}"#, #"/ ={"a":{"b":1}}"#,
            ]
        )
    }

    @Test func `Events of one change come by their kinds, with the sibling before`() throws {
        var tree = SyncTree()
        _ = try tree.listen(TreeQuery(order: .value), at: path("/"))
        _ = tree.receive(try set("/", #"{"a":1,"b":2,"c":3,"d":4}"#).push)
        let effects = tree.write(try update("/", #"{"a":null,"b":9,"e":0,"d":4}"#), milliseconds: 0).effects
        #expect(
            effects.events.map(\.description) == [
                "/ -a=1", "/ +e=0", "/ >b<d=9", "/ ~b<d=9", #"/ ={"b":9,"c":3,"d":4,"e":0}"#,
            ]
        )
    }

    @Test func `Server values are estimated once, on what is shown`() throws {
        var tree = SyncTree()
        _ = try tree.listen(.all, at: path("/"))
        _ = tree.receive(try set("/", #"{"n":5}"#).push)
        let increment = #"{".sv":{"increment":2}}"#
        let (first, one) = tree.write(try set("/n", increment), milliseconds: 0)
        let (second, other) = tree.write(
            try update("/", #"{"n":\#(increment),"at":{".sv":"timestamp"}}"#),
            milliseconds: 77
        )
        #expect(one.events.last?.description == #"/ ={"n":7}"#)
        #expect(other.events.last?.description == #"/ ={"at":77,"n":9}"#)
        // The push of the first comes before its acknowledgement, and counts once.
        #expect(tree.receive(try set("/n", "7").push).events.isEmpty)
        #expect(tree.acknowledge(first.id).events.isEmpty)
        #expect(tree.receive(try update("/", #"{"n":9,"at":80}"#).push).events.isEmpty)
        #expect(tree.acknowledge(second.id).events.last?.description == #"/ ={"at":80,"n":9}"#)
    }

    @Test func `An increment in a query's window adds to what the window shows`() throws {
        var tree = SyncTree()
        _ = try tree.listen(TreeQuery(limit: .init(1, .last)), at: path("/posts"))
        _ = tree.receive(try set("/posts", #"{"p":{"n":1}}"#).push, tag: 1)
        let effects = tree.write(try set("/posts/p/n", #"{".sv":{"increment":1}}"#), milliseconds: 0).effects
        #expect(effects.events.last?.description == #"/posts ={"p":{"n":2}}"#)
    }

    @Test func `Writes without an answer are kept in order, as they were written`() throws {
        var tree = SyncTree()
        let ids = try ["1", #"{".sv":"timestamp"}"#, "3"].map { value in
            tree.write(try set("/a", value), milliseconds: 0).write.id
        }
        #expect(tree.pendingWrites.map(\.id) == ids)
        #expect(tree.pendingWrites[1].write.assignments.first?.template.serverValues != nil)
        _ = tree.acknowledge(ids[0])
        #expect(tree.pendingWrites.map(\.id) == Array(ids.dropFirst()))
        #expect(tree.acknowledge(ids[0]).events.isEmpty)
    }

    @Test func `A write into a queue of many costs what it changes`() throws {
        var tree = SyncTree()
        _ = try tree.listen(.all, at: path("/"))
        _ = tree.receive(try set("/", "null").push)
        let ids = try (0..<500).map { index in
            tree.write(try set("/k\(index)", "1"), milliseconds: 0).write.id
        }
        // Each is looked up by its place: no other write is laid over anew.
        #expect(tree.writes.touching(try path("/k7")).map(\.id) == [ids[7]])
        for id in ids { _ = tree.revert(id) }
        #expect(tree.shown(.all, at: .root) == .absent)
    }
}
