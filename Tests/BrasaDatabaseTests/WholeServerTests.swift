import BrasaTree
import Foundation
import Testing

@testable import BrasaDatabase

@Suite("With a server", .timeLimit(.minutes(1)))
struct WholeServerTests {
    @Test("What one client writes another reads")
    func writeAndRead() async throws {
        try await withServer { server, database in
            let ref = try await database.reference().child("users").child("ada").setValue([
                "username": "ada", "age": 36,
            ])
            #expect(ref.key == "ada")
            let other = try server.database().reference(withPath: "users/ada")
            let snapshot = try await other.getData()
            #expect(snapshot.exists())
            #expect((snapshot.value as? NSDictionary)?["username"] as? String == "ada")
            #expect((snapshot.value as? [String: Any])?["age"] as? Int == 36)
            try await other.child("username").setValue("Ada")
            #expect(try await database.reference(withPath: "users/ada/username").getData().value as? String == "Ada")
            try await other.removeValue()
            #expect(try await !ref.getData().exists())
        }
    }

    @Test("An observer sees its own client's writes at once, and others' as they come")
    func observing() async throws {
        try await withServer { server, database in
            let lines = Lines()
            let ref = database.reference(withPath: "a")
            let handle = ref.say(to: lines)
            #expect(await lines.next() == ["null"])
            ref.setValue(1, withCompletionBlock: nil)
            #expect(await lines.next() == ["1"])
            try await server.database().reference(withPath: "a").setValue(["b": true])
            #expect(await lines.next() == [#"{"b":true}"#])
            ref.removeObserver(withHandle: handle)
            try await ref.setValue(2)
            let again = ref.say(to: lines)
            #expect(await lines.next() == ["2"])
            ref.removeObserver(withHandle: again)
        }
    }

    @Test("Child events come with the key before, in the query's order, and before the value")
    func childEvents() async throws {
        try await withServer { server, database in
            let lines = Lines()
            let ref = database.reference(withPath: "list")
            let other = try server.database().reference(withPath: "list")
            try await other.setValue(["a": 1, "b": 2, "c": 3])
            let query = ref.queryOrderedByValue().queryLimited(toLast: 2)
            for (kind, mark) in [
                (DataEventType.childRemoved, "-"), (.childAdded, "+"), (.childMoved, ">"), (.childChanged, "~"),
            ] {
                query.observe(
                    kind,
                    andPreviousSiblingKeyWith: { snapshot, previous in
                        lines.say("\(mark)\(snapshot.key)=\(snapshot.json)\(previous.map { "<\($0)" } ?? "")")
                    }
                )
            }
            _ = query.say(to: lines)
            #expect(await lines.next(3) == ["+b=2", "+c=3<b", #"{"b":2,"c":3}"#])
            try await other.child("a").setValue(5)
            #expect(await lines.next(3) == ["-b=2", "+a=5<c", #"{"a":5,"c":3}"#])
            try await other.child("c").setValue(6)
            #expect(await lines.next(3) == [">c=6<a", "~c=6<a", #"{"a":5,"c":6}"#])
            query.removeAllObservers()
        }
    }

    @Test("An observer for one event is told of the first only")
    func singleEvent() async throws {
        try await withServer { _, database in
            let ref = database.reference(withPath: "a")
            try await ref.setValue(["x": 1, "y": 2])
            let lines = Lines()
            ref.observeSingleEvent(of: .value, with: { lines.say($0.json) })
            #expect(await lines.next() == [#"{"x":1,"y":2}"#])
            ref.observeSingleEvent(of: .childAdded, with: { lines.say($0.key) }) { lines.say("\($0)") }
            #expect(await lines.next() == ["x"])
            let (snapshot, previous) = try await ref.observeSingleEventAndPreviousSiblingKey(of: .childAdded)
            #expect(snapshot.key == "x" && previous == nil)
            try await ref.setValue(nil)
            ref.observeSingleEvent(of: .value, with: { lines.say($0.json) })
            #expect(await lines.next() == ["null"])
        }
    }

    @Test("An update of several paths is seen as one change")
    func multiPathUpdate() async throws {
        try await withServer { server, database in
            let lines = Lines()
            let other = try server.database()
            _ = other.reference().say(to: lines)
            #expect(await lines.next() == ["null"])
            let ref = database.reference()
            let key = try #require(ref.child("posts").childByAutoId().key)
            let post = ["uid": "u", "title": "t"]
            try await ref.updateChildValues(["/posts/\(key)": post, "/user-posts/u/\(key)/": post])
            let text = #"{"title":"t","uid":"u"}"#
            #expect(await lines.next() == [#"{"posts":{"\#(key)":\#(text)},"user-posts":{"u":{"\#(key)":\#(text)}}}"#])
            try await ref.updateChildValues(["posts/\(key)/title": NSNull()])
            #expect(
                await lines.next() == [#"{"posts":{"\#(key)":{"uid":"u"}},"user-posts":{"u":{"\#(key)":\#(text)}}}"#]
            )
        }
    }

    @Test("Stars of several clients are all counted by transactions")
    func starsByTransaction() async throws {
        try await withServer { server, database in
            let databases = [database, try server.database(), try server.database()]
            try await database.reference(withPath: "post").setValue(["starCount": 0])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, database) in databases.enumerated() {
                    for star in 0..<5 {
                        group.addTask {
                            let ref = database.reference(withPath: "post")
                            let (isCommitted, _) = try await ref.runTransactionBlock { currentData in
                                guard var post = currentData.value as? [String: AnyObject] else {
                                    return .success(withValue: currentData)
                                }
                                var stars = post["stars"] as? [String: Bool] ?? [:]
                                stars["u\(index)-\(star)"] = true
                                post["starCount"] = ((post["starCount"] as? Int ?? 0) + 1) as AnyObject?
                                post["stars"] = stars as AnyObject?
                                currentData.value = post
                                return .success(withValue: currentData)
                            }
                            #expect(isCommitted)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let snapshot = try await server.database().reference(withPath: "post").getData()
            #expect(snapshot.childSnapshot(forPath: "starCount").value as? Int == 15)
            #expect(snapshot.childSnapshot(forPath: "stars").childrenCount == 15)
        }
    }

    @Test("A transaction that wants nothing is not committed, and one whose value cannot be stored fails")
    func endedTransactions() async throws {
        try await withServer { _, database in
            let ref = database.reference(withPath: "a")
            try await ref.setValue(1)
            let (isCommitted, snapshot) = try await ref.runTransactionBlock { _ in .abort() }
            #expect(!isCommitted && snapshot.exists() == (snapshot.value as? Int == 1))
            let error = await #expect(throws: NSError.self) {
                try await ref.runTransactionBlock { data in
                    data.value = Date()
                    return .success(withValue: data)
                }
            }
            #expect(error?.domain == "com.firebase")
            #expect(try await ref.getData().value as? Int == 1)
        }
    }

    @Test("Stars of several clients are all counted by increments")
    func starsByIncrement() async throws {
        try await withServer { server, database in
            let databases = [database, try server.database()]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, database) in databases.enumerated() {
                    for star in 0..<10 {
                        group.addTask {
                            let updates =
                                [
                                    "posts/p/stars/u\(index)-\(star)": true,
                                    "posts/p/starCount": ServerValue.increment(1),
                                ] as [String: Any]
                            try await database.reference().updateChildValues(updates)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let snapshot = try await server.database().reference(withPath: "posts/p").getData()
            #expect(snapshot.childSnapshot(forPath: "starCount").value as? Int == 20)
            #expect(snapshot.childSnapshot(forPath: "stars").childrenCount == 20)
        }
    }

    @Test("Others see when a client is there and when it has gone")
    func presence() async throws {
        try await withServer { server, database in
            let present = try server.database()
            let lines = Lines()
            _ = database.reference(withPath: "presence").say(to: lines)
            #expect(await lines.next() == ["null"])
            let connected = Lines()
            _ = present.reference(withPath: ".info/connected").say(to: connected)
            await connected.wait(for: "true")
            let ref = present.reference(withPath: "presence/ada")
            try await ref.onDisconnectSetValue("gone")
            try await ref.setValue("here")
            #expect(await lines.next() == [#"{"ada":"here"}"#])
            let own = Lines()
            _ = ref.say(to: own)
            #expect(await own.next() == [#""here""#])
            present.goOffline()
            #expect(await lines.next() == [#"{"ada":"gone"}"#])
            #expect(await own.next() == [#""gone""#])
            // What was cancelled is not done.
            present.goOnline()
            try await ref.setValue("back")
            #expect(await lines.next() == [#"{"ada":"back"}"#])
            try await ref.onDisconnectRemoveValue()
            try await ref.cancelDisconnectOperations()
            present.goOffline()
            try await database.reference(withPath: "presence/bob").setValue(1)
            #expect(await lines.next() == [#"{"ada":"back","bob":1}"#])
            present.goOnline()
            try await ref.parent?.onDisconnectUpdateChildValues(["ada": "left", "bob": ServerValue.increment(2)])
            present.goOffline()
            #expect(await lines.next() == [#"{"ada":"left","bob":3}"#])
        }
    }

    @Test("What is written offline shows at once, and is sent in order when there is a connection")
    func offlineWrites() async throws {
        try await withServer { server, database in
            let lines = Lines()
            let ref = database.reference(withPath: "notes")
            _ = ref.say(to: lines)
            #expect(await lines.next() == ["null"])
            database.goOffline()
            let done = Lines()
            ref.child("a").setValue(1) { error, _ in done.say("a \(error == nil)") }
            ref.child("b").setValue(2) { error, _ in done.say("b \(error == nil)") }
            ref.child("a").setValue(3) { error, _ in done.say("a \(error == nil)") }
            #expect(await lines.next(3) == [#"{"a":1}"#, #"{"a":1,"b":2}"#, #"{"a":3,"b":2}"#])
            try await server.database().reference(withPath: "notes/c").setValue(4)
            database.goOnline()
            #expect(await done.next(3) == ["a true", "b true", "a true"])
            #expect(try await server.database().reference(withPath: "notes").getData().json == #"{"a":3,"b":2,"c":4}"#)
        }
    }

    @Test("A client finds a server again that was restarted: listeners go on, and writes arrive")
    func restart() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tree-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await TreeServerForTest(folder: folder)
        let port = server.port
        let database = try server.database()
        let ref = database.reference(withPath: "a")
        let (lines, connected) = (Lines(), Lines())
        _ = ref.say(to: lines)
        _ = database.reference(withPath: ".info/connected").say(to: connected)
        #expect(await lines.next() == ["null"])
        try await ref.setValue(1)
        #expect(await lines.next() == ["1"])
        await connected.wait(for: "true")
        try await server.stop()
        await connected.wait(for: "false")
        let write = Task { _ = try await ref.setValue(2) }
        #expect(await lines.next() == ["2"])
        let second = try await TreeServerForTest(port: port, folder: folder)
        try await write.value
        try await Databases.emulated(port: port).reference(withPath: "a").setValue(3)
        #expect(await lines.next() == ["3"])
        database.goOffline()
        try await second.stop()
    }

    @Test("Queries show what they ask for")
    func queries() async throws {
        try await withServer { _, database in
            let ref = database.reference(withPath: "dinosaurs")
            try await ref.setValue([
                "lambeosaurus": ["height": 2.1, "length": 12.5], "stegosaurus": ["height": 4, "length": 9],
                "bruhathkayosaurus": ["height": 25, "length": 44], "linhenykus": ["height": 0.6, "length": 1],
            ])
            func keys(_ query: DatabaseQuery) async throws -> [String] {
                // Without an index in the rules a get is refused, and a listen is answered all the same.
                let (snapshot, _) = try await query.observeSingleEventAndPreviousSiblingKey(of: .value)
                return snapshot.children.compactMap { ($0 as? DataSnapshot)?.key }
            }
            let byHeight = ref.queryOrdered(byChild: "height")
            let all = ["linhenykus", "lambeosaurus", "stegosaurus", "bruhathkayosaurus"]
            #expect(try await keys(byHeight) == all)
            #expect(try await keys(byHeight.queryLimited(toFirst: 2)) == Array(all.prefix(2)))
            #expect(try await keys(byHeight.queryStarting(atValue: 2.1).queryEnding(atValue: 4)) == Array(all[1...2]))
            #expect(try await keys(byHeight.queryStarting(afterValue: 2.1)) == Array(all[2...]))
            #expect(try await keys(byHeight.queryEnding(beforeValue: 4)) == Array(all[..<2]))
            #expect(try await keys(byHeight.queryEqual(toValue: 25)) == [all[3]])
            #expect(
                try await keys(ref.queryOrderedByKey().queryStarting(atValue: "li").queryLimited(toLast: 1)) == [
                    "stegosaurus"
                ]
            )
        }
    }

    @Test("Values that are longer than a frame go both ways")
    func longValues() async throws {
        try await withServer { server, database in
            let text = String(repeating: "🦖 and more ", count: 20_000)
            try await database.reference(withPath: "long").setValue(["text": text])
            let snapshot = try await server.database().reference(withPath: "long/text").getData()
            #expect(snapshot.value as? String == text)
        }
    }

    @Test("Values of types of one's own come back")
    func coding() async throws {
        struct Post: Codable, Equatable {
            var title: String
            var stars: Int
            var isDraft: Bool?
            var tags: [String]
        }
        try await withServer { server, database in
            let ref = database.reference(withPath: "post")
            let post = Post(title: "t", stars: 3, isDraft: nil, tags: ["a", "b"])
            try ref.setValue(from: post)
            let snapshot = try await ref.getData()
            #expect(try snapshot.data(as: Post.self) == post)
            #expect(snapshot.json == #"{"stars":3,"tags":{"0":"a","1":"b"},"title":"t"}"#)
            let other = Post(title: "u", stars: 0, isDraft: true, tags: [])
            #expect(try await ref.setValue(encoding: other) == ref)
            let known: DataSnapshot? = try await server.database().reference(withPath: "post").getData()
            #expect(known?.json == #"{"isDraft":true,"stars":0,"title":"u"}"#)
            // As documented programs have it, and as it has to be since the snapshot is optional.
            #expect((known.value as? NSDictionary) == (known?.value as? NSDictionary))
            #expect(try ref.database.reference(withPath: "no").getDataNow().data(as: Post?.self) == nil)
        }
    }

    @Test("A time that is left out is the server's, and comes back")
    func serverTimestamp() async throws {
        struct Message: Codable, Equatable {
            var text: String
            @ServerTimestamp var sent: Date?
        }
        try await withServer { _, database in
            let ref = database.reference(withPath: "message")
            let before = Date().addingTimeInterval(-60)
            try ref.setValue(from: Message(text: "t", sent: nil))
            let sent = try #require(try await ref.getData().data(as: Message.self).sent)
            #expect(sent > before && sent < before.addingTimeInterval(120))
            let message = Message(text: "u", sent: Date(timeIntervalSince1970: 1.25))
            try ref.setValue(from: message)
            let snapshot = try await ref.getData()
            #expect(snapshot.json == #"{"sent":1250,"text":"u"}"#)
            #expect(try snapshot.data(as: Message.self) == message)
            #expect(throws: EncodingError.self) {
                try ref.setValue(from: Message(text: "", sent: Date(timeIntervalSince1970: 1e300)))
            }
        }
    }

    @Test("Server values are worked out by the server, priorities order, and arrays come back as such")
    func specialValues() async throws {
        try await withServer { _, database in
            let ref = database.reference(withPath: "v")
            let before = Int64(Date().timeIntervalSince1970 * 1_000) - 60_000
            try await ref.setValue(["at": ServerValue.timestamp(), "list": [1, 2, 3]])
            let snapshot = try await ref.getData()
            #expect(try #require(snapshot.childSnapshot(forPath: "at").value as? Int64) > before)
            #expect(snapshot.childSnapshot(forPath: "list").value as? [Int] == [1, 2, 3])
            try await ref.child("a").setValue(1, andPriority: 2)
            try await ref.child("b").setValue(1, andPriority: 1)
            try await ref.child("at").removeValue()
            try await ref.child("list").setPriority("z")
            let keys = try await ref.getData().children.compactMap { ($0 as? DataSnapshot)?.key }
            #expect(keys == ["b", "a", "list"])
        }
    }
}

extension DatabaseReference {
    /// What nothing is known of is nothing.
    fileprivate func getDataNow() -> DataSnapshot { DataSnapshot(self, .absent) }
}
