import BrasaTree
import BrasaTreeEngine
import BrasaTreeRules
import Testing

struct DatabaseTests {
    private func node(_ text: String) throws -> TreeNode { try TreeTemplate(parsing: Array(text.utf8)).node }
    private func path(_ text: String) throws -> TreePath { try TreePath(text) }
    private func exported(_ node: TreeNode) -> String { String(decoding: node.text(.export), as: UTF8.self) }

    private func set(_ value: String, at location: String) throws -> TreeWrite {
        let location = try TreeLocation(location)
        return try .set(TreeTemplate(parsing: Array(value.utf8), at: location.path), at: location)
    }

    private func update(_ value: String, at base: String) throws -> TreeWrite {
        var scanner = JSONScanner(UpdateReader(at: try TreePath(base)))
        try scanner.read(Array(value.utf8))
        return try .update(try #require(try scanner.finish().entries), at: TreePath(base))
    }

    private func database(_ text: String, rules: TreeRules = .open) throws -> TreeDatabase {
        TreeDatabase(try self.node(text), rules: rules)
    }

    private func told(_ notices: [TreeNotice]) -> [String] {
        notices.map { notice in
            switch notice.event {
            case .value(let location, let node): "\(notice.target.path): \(location) \(self.exported(node))"
            case .merge(let base, let parts):
                "\(notice.target.path): \(base) "
                    + parts.map { "\($0.location)=\(self.exported($0.node))" }.joined(separator: " ")
            }
        }.sorted()
    }

    private static let tree = #"{"a":{"b":{"c":1},"x":2},"z":3}"#

    /// A write at `/a/b`, for listeners above, there, beneath and beside it.
    @Test(arguments: [
        ("5", ["/: /a/b 5", "/a: /a/b 5", "/a/b/c: /a/b/c null", "/a/b: /a/b 5"]),
        (
            #"{"c":1,"d":2}"#,
            ["/: /a/b {\"c\":1,\"d\":2}", "/a: /a/b {\"c\":1,\"d\":2}", "/a/b: /a/b {\"c\":1,\"d\":2}"]
        ),
        (#"{"c":1}"#, []),
        ("null", ["/: /a/b null", "/a: /a/b null", "/a/b/c: /a/b/c null", "/a/b: /a/b null"]),
    ])
    func `A change reaches the listeners above it, there and beneath, and nobody else`(
        _ value: String,
        _ told: [String]
    ) throws {
        var database = try self.database(Self.tree)
        for (index, place) in ["/", "a", "a/b", "a/b/c", "a/x", "z", "a/b/nothing", "other/place"].enumerated() {
            _ = try database.listen(
                TreeListenerID(UInt64(index)),
                to: TreeTarget(try self.path(place)),
                by: .administrator,
                milliseconds: 0
            )
        }
        let outcome = database.write(try self.set(value, at: "a/b"), by: .administrator, milliseconds: 0)
        #expect(database.publishedVersion == 0)
        #expect(self.exported(database.published) == Self.tree)
        #expect(self.told(database.publish(through: outcome.version)) == told.sorted())
    }

    @Test func `An update is one event, at the writer's place where it is beneath the listener`() throws {
        var database = try self.database(Self.tree)
        for (index, place) in ["/", "a", "a/b", "z"].enumerated() {
            _ = try database.listen(
                TreeListenerID(UInt64(index)),
                to: TreeTarget(try self.path(place)),
                by: .administrator,
                milliseconds: 0
            )
        }
        _ = database.write(
            try self.update(#"{"b/c":7,"b/d":8,"x":2,".priority":4}"#, at: "a"),
            by: .administrator,
            milliseconds: 0
        )
        #expect(
            self.told(database.publish(through: 1)) == [
                "/: /a /.priority=4 /b/c=7 /b/d=8", "/a/b: /a/b /c=7 /d=8", "/a: /a /.priority=4 /b/c=7 /b/d=8",
            ]
        )
    }

    @Test func `Equal listeners are told by one event, however many they are`() throws {
        var database = try self.database(#"{"scores":{"a":1,"b":2,"c":3}}"#)
        let target = TreeTarget(try self.path("scores"), try TreeQuery(order: .value, limit: .init(2, .last)))
        for id in 0..<10_000 {
            _ = try database.listen(TreeListenerID(UInt64(id)), to: target, by: .administrator, milliseconds: 0)
        }
        _ = database.write(try self.set("9", at: "scores/a"), by: .administrator, milliseconds: 0)
        let notices = database.publish(through: 1)
        #expect(notices.map(\.listeners.count) == [10_000])
        #expect(self.told(notices) == ["/scores: /scores /a=9 /b=null"])
        _ = database.write(try self.set("0", at: "scores/b"), by: .administrator, milliseconds: 0)
        #expect(database.publish(through: 2).isEmpty)
    }

    @Test func `In a window what changed in a child that stays is told, not the child`() throws {
        var database = try self.database(#"{"rooms":{"a":{"at":1,"log":{"x":1}},"b":{"at":2}}}"#)
        let target = TreeTarget(
            try self.path("rooms"),
            try TreeQuery(order: .child(self.path("at")), limit: .init(1, .first))
        )
        _ = try database.listen(TreeListenerID(1), to: target, by: .administrator, milliseconds: 0)
        func write(_ value: String, _ location: String) throws -> [String] {
            let outcome = database.write(try self.set(value, at: location), by: .administrator, milliseconds: 0)
            return self.told(database.publish(through: outcome.version))
        }
        #expect(try write("2", "rooms/a/log/y") == ["/rooms: /rooms/a/log/y 2"])
        #expect(try write("5", "rooms/a/.priority") == ["/rooms: /rooms/a/.priority 5"])
        #expect(try write("1", "rooms/b/log") == [])
        #expect(try write("3", "rooms/a/at") == ["/rooms: /rooms /a=null /b={\"at\":2,\"log\":1}"])
    }

    @Test func `A listener that has it already is sent nothing`() throws {
        var database = try self.database(Self.tree)
        func start(_ hash: String, _ query: TreeQuery? = nil) throws -> TreeListenStart {
            try database.listen(
                TreeListenerID(1),
                to: TreeTarget(try self.path("a"), query),
                holding: hash,
                by: .administrator,
                milliseconds: 0
            )
        }
        guard case .same = try start(try self.node(#"{"b":{"c":1},"x":2}"#).hash).content else {
            Issue.record("sent again")
            return
        }
        guard case .whole(let node) = try start("").content else {
            Issue.record("nothing was sent")
            return
        }
        #expect(self.exported(node) == #"{"b":{"c":1},"x":2}"#)
        guard
            case .same = try start(try self.node(#"{"x":2}"#).hash, try TreeQuery(order: .key, limit: .init(1, .last)))
                .content
        else {
            Issue.record("a window was sent again")
            return
        }
    }

    private static let rules = #"""
        {"rules":{
          "public":{".read":true,".indexOn":"at"},
          "users":{"$u":{".read":"auth.uid == $u",".write":"auth.uid == $u","n":{".validate":"newData.isNumber() && newData.val() == data.val() + 1"}}}
        }}
        """#

    @Test func `Rules are asked against the newest tree, and administrators are not asked`() throws {
        let alice = TreeCaller.client(["uid": "alice"])
        var database = try self.database(
            #"{"users":{"alice":{"n":1},"bob":{"n":1}}}"#,
            rules: TreeRules(parsing: Array(Self.rules.utf8))
        )
        func write(_ value: String, _ place: String, _ hash: String? = nil, by caller: TreeCaller) throws
            -> TreeRefusal?
        {
            let outcome = database.write(try self.set(value, at: place), expecting: hash, by: caller, milliseconds: 0)
            if case .failure(let refusal) = outcome.result { return refusal }
            return nil
        }
        #expect(try write("2", "users/alice/n", by: alice) == nil)
        // Not published yet, but there.
        #expect(try write("2", "users/alice/n", by: alice) == .permissionDenied)
        #expect(try write("3", "users/alice/n", by: alice) == nil)
        #expect(try write("2", "users/bob/n", by: alice) == .permissionDenied)
        // A transaction that lost is run again; who may not read learns nothing of what is there.
        let stale = try self.node("1").hash
        #expect(try write("2", "users/alice/n", stale, by: alice) == .stale)
        #expect(try write("2", "users/bob/n", try self.node("7").hash, by: alice) == .permissionDenied)
        #expect(try write("2", "users/bob/n", stale, by: alice) == .permissionDenied)
        #expect(try write("9", "users/bob/n", by: .administrator) == nil)
        #expect(try write("4", "users/alice/n", try self.node("3").hash, by: alice) == nil)
        _ = database.publish(through: 10)
        #expect(self.exported(database.published) == #"{"users":{"alice":{"n":4},"bob":{"n":9}}}"#)
    }

    @Test func `Reads and listens are judged, and single reads need an index`() throws {
        var database = try self.database(
            #"{"public":{"a":{"at":1}}}"#,
            rules: TreeRules(parsing: Array(Self.rules.utf8))
        )
        let nobody = TreeCaller.client(.null)
        let (at, other) = (
            try TreeQuery(order: .child(self.path("at")), limit: .init(1, .first)),
            try TreeQuery(order: .value, limit: .init(1, .first))
        )
        let place = try self.path("public")
        #expect(
            try self.exported(database.read(TreeTarget(place, at), by: nobody, milliseconds: 0)) == #"{"a":{"at":1}}"#
        )
        #expect(throws: TreeRefusal.notIndexed(.value, place)) {
            try database.read(TreeTarget(place, other), by: nobody, milliseconds: 0)
        }
        #expect(throws: TreeRefusal.permissionDenied) {
            try database.read(TreeTarget(.root), by: nobody, milliseconds: 0)
        }
        let start = try database.listen(TreeListenerID(1), to: TreeTarget(place, other), by: nobody, milliseconds: 0)
        #expect(!start.isIndexed)
        #expect(throws: TreeRefusal.permissionDenied) {
            try database.listen(TreeListenerID(1), to: TreeTarget(.root), by: nobody, milliseconds: 0)
        }
        #expect(database.mayRead(TreeTarget(place), by: nobody, milliseconds: 0))
        database.rules = .locked
        #expect(!database.mayRead(TreeTarget(place), by: nobody, milliseconds: 0))
        #expect(database.listenerCount == 1)
    }

    @Test func `What a session left is one change at its end, worked out then`() throws {
        var database = try self.database(#"{"u":{"n":1,"online":true}}"#)
        let session = TreeSessionID(1)
        for (value, place) in [
            ("false", "u/online"), (#"{".sv":"timestamp"}"#, "u/seen"), (#"{".sv":{"increment":1}}"#, "u/n"),
        ] {
            try database.writeOnDisconnect(
                of: session,
                try self.set(value, at: place),
                by: .administrator,
                milliseconds: 5
            )
        }
        _ = try database.listen(
            TreeListenerID(1),
            to: TreeTarget(try self.path("u")),
            by: .administrator,
            milliseconds: 5
        )
        _ = database.write(try self.set("41", at: "u/n"), by: .administrator, milliseconds: 6)
        let outcome = database.end(session, by: .administrator, milliseconds: 99)
        #expect(
            self.told(database.publish(through: outcome.version)) == [
                "/u: /u /n=42 /online=false /seen=99", "/u: /u/n 41",
            ]
        )
        // Once.
        #expect(try database.end(session, by: .administrator, milliseconds: 100).result.get() == nil)
    }

    @Test func `Cancelling takes its place out of what a session left`() throws {
        let session = TreeSessionID(1)
        func left(_ writes: [(String, String)], cancelling place: String) throws -> String {
            var database = try self.database(#"{"a":{"b":{"c":0,"d":0},"e":0},"f":0}"#)
            for (value, place) in writes {
                try database.writeOnDisconnect(
                    of: session,
                    try self.set(value, at: place),
                    by: .administrator,
                    milliseconds: 0
                )
            }
            database.cancelOnDisconnect(of: session, at: try self.path(place))
            let outcome = database.end(session, by: .administrator, milliseconds: 7)
            _ = database.publish(through: outcome.version)
            return self.exported(database.published)
        }
        #expect(
            try left([("1", "a/b/c"), ("1", "a/e")], cancelling: "a/b") == #"{"a":{"b":{"c":0,"d":0},"e":1},"f":0}"#
        )
        #expect(try left([("1", "a/b"), ("1", "f")], cancelling: "/") == #"{"a":{"b":{"c":0,"d":0},"e":0},"f":0}"#)
        // Of a set above, the rest remains, child by child.
        #expect(
            try left([(#"{"b":{"c":1,"d":{".sv":"timestamp"}},"e":1}"#, "a")], cancelling: "a/b/c")
                == #"{"a":{"b":{"c":0,"d":7},"e":1},"f":0}"#
        )
        #expect(try left([("5", "a")], cancelling: "a/b") == #"{"a":5,"f":0}"#)
        #expect(try left([("1", "f"), ("2", "f")], cancelling: "a") == #"{"a":{"b":{"c":0,"d":0},"e":0},"f":2}"#)
    }

    @Test func `What a session leaves is judged when it is asked for, and again at the end`() throws {
        let alice = TreeCaller.client(["uid": "alice"])
        var database = try self.database(
            #"{"users":{"alice":{"n":1}}}"#,
            rules: TreeRules(parsing: Array(Self.rules.utf8))
        )
        let session = TreeSessionID(1)
        #expect(throws: TreeRefusal.permissionDenied) {
            try database.writeOnDisconnect(
                of: session,
                try self.set("1", at: "users/bob/x"),
                by: alice,
                milliseconds: 0
            )
        }
        try database.writeOnDisconnect(of: session, try self.set("2", at: "users/alice/n"), by: alice, milliseconds: 0)
        try database.writeOnDisconnect(of: session, try self.set("1", at: "users/alice/x"), by: alice, milliseconds: 0)
        _ = database.write(try self.set("5", at: "users/alice/n"), by: .administrator, milliseconds: 0)
        _ = database.end(session, by: alice, milliseconds: 0)
        _ = database.publish(through: 2)
        #expect(self.exported(database.published) == #"{"users":{"alice":{"n":5,"x":1}}}"#)
    }

    @Test func `Listeners, and what sessions leave, have bounds`() throws {
        var database = TreeDatabase(
            rules: .open,
            limits: TreeDatabaseLimits(listenersMax: 1, disconnectPlacementsMax: 2, disconnectBytesMax: 100)
        )
        let target = TreeTarget(.root)
        _ = try database.listen(TreeListenerID(1), to: target, by: .administrator, milliseconds: 0)
        #expect(throws: TreeRefusal.tooManyListeners(listenersMax: 1)) {
            try database.listen(TreeListenerID(2), to: target, by: .administrator, milliseconds: 0)
        }
        database.unlisten(TreeListenerID(2), to: target)
        #expect(database.listenerCount == 1)
        let session = TreeSessionID(1)
        func leave(_ value: String, _ place: String) throws {
            try database.writeOnDisconnect(
                of: session,
                try self.set(value, at: place),
                by: .administrator,
                milliseconds: 0
            )
        }
        try leave("1", "a")
        try leave("1", "b")
        #expect(throws: TreeRefusal.tooManyDisconnectWrites) { try leave("1", "c") }
        try leave("2", "b")
        #expect(throws: TreeRefusal.tooManyDisconnectWrites) {
            try leave("\"\(String(repeating: "x", count: 100))\"", "b")
        }
    }

    @Test func `A commit's change alone makes the same tree again`() throws {
        var database = try self.database(Self.tree)
        var recovered = try self.database(Self.tree)
        for (value, place) in [
            (#"{".sv":"timestamp"}"#, "a/t"), (#"{".sv":{"increment":2}}"#, "z"), ("null", "a/b/c"),
            ("5", "a/.priority"),
        ] {
            let commit = try #require(
                try database.write(try self.set(value, at: place), by: .administrator, milliseconds: 8).result.get()
            )
            recovered.recover(commit.change)
        }
        _ = database.publish(through: .max)
        #expect(recovered.published == database.published)
        #expect(recovered.publishedVersion == database.publishedVersion)
    }

    @Test func `Databases are made at their first write, and have names and a number`() throws {
        var databases = TreeDatabases(rules: .open, databasesMax: 2)
        #expect(databases["one"].published.isAbsent)
        #expect(databases.names.isEmpty)
        for name in ["one", "two", "one"] {
            try databases.with(name) { database throws(TreeRefusal) in
                let write = TreeWrite.setting(.leaf(.boolean(true)))
                let outcome = database.write(write, by: .administrator, milliseconds: 0)
                _ = database.publish(through: outcome.version)
            }
        }
        #expect(databases.names == ["one", "two"])
        // A third has no room, not even for nothing; one that is there may go on.
        #expect(databases["one"].published.scalar == .boolean(true))
        #expect(throws: TreeRefusal.tooManyDatabases(databasesMax: 2)) { try databases.with("three") { _ in } }
        try databases.with("one") { _ in }
        #expect(databases.names == ["one", "two"])
        for name in ["", "A", "a.b", "a/b", String(repeating: "x", count: 64)] {
            #expect(throws: TreeRefusal.invalidName) { try databases.with(name) { _ in } }
        }
    }
}

extension DatabaseTests {
    @Test func `A name that is only asked for takes no room`() throws {
        var databases = TreeDatabases(rules: .locked, databasesMax: 1)
        for name in ["one", "two"] {
            try databases.with(name) { database throws(TreeRefusal) in
                let outcome = database.write(.setting(.leaf(.boolean(true))), by: .client(.null), milliseconds: 0)
                #expect(throws: TreeRefusal.permissionDenied) { try outcome.result.get() }
            }
        }
        #expect(databases.names.isEmpty)
        try databases.with("three") { $0.rules = .open }
        #expect(databases.names == ["three"])
        #expect(databases["three"].rules.text == TreeRules.open.text)
    }
}

extension TreeWrite {
    /// At the root.
    fileprivate static func setting(_ node: TreeNode) -> TreeWrite {
        guard let write = try? TreeWrite.set(TreeTemplate(node), at: TreeLocation(.root)) else {
            preconditionFailure("a leaf can be at the root")
        }
        return write
    }
}
