import Foundation
import Testing

@testable import BrasaDatabase

/// The programs of the page on reading and writing data on Apple platforms, against a process of `brasa serve`: each call has
/// the form that it has there. Handlers run on a queue, so functions that are not asynchronous hold what the page has.
@Suite("Documented programs", .timeLimit(.minutes(1)), .serverProcess)
struct DocumentedProgramTests {
    /// Who uses the program; the page takes it of another library.
    private struct User {
        let uid: String
        let displayName = "Ada"
    }

    /// The page's posts.
    private final class Blog {
        var ref: DatabaseReference!
        var refHandle: DatabaseHandle?
        let user = User(uid: "ada")
        let lines = Lines()

        init(_ database: Database) { self.ref = database.reference() }

        func register(username: String) {
            self.ref.child("users").child(self.user.uid).setValue(["username": username])
        }

        func rename(_ username: String) {
            self.ref.child("users/\(self.user.uid)/username").setValue(username)
        }

        func save(_ username: String) {
            self.ref.child("users").child(self.user.uid).setValue(["username": username]) {
                (error: Error?, ref: DatabaseReference) in
                if let error {
                    self.lines.say("Data could not be saved: \(error).")
                } else {
                    self.lines.say("saved \(ref.key ?? "")")
                }
            }
        }

        func observe(post: String) {
            self.refHandle = self.ref.child("posts/\(post)").observe(
                DataEventType.value,
                with: { snapshot in
                    let post = snapshot.value as? [String: AnyObject] ?? [:]
                    self.lines.say("post \(post["title"] as? String ?? "none") \(post["starCount"] as? Int ?? 0)")
                }
            )
        }

        func readOnce() {
            self.ref.child("users/\(self.user.uid)/username").getData(completion: { error, snapshot in
                guard error == nil else { return self.lines.say(error!.localizedDescription) }
                self.lines.say(snapshot.value as? String ?? "Unknown")
            })
        }

        func readOnceWithObserver() {
            let userID: String? = self.user.uid
            self.ref.child("users").child(userID!).observeSingleEvent(
                of: .value,
                with: { snapshot in
                    let value = snapshot.value as? NSDictionary
                    self.lines.say(value?["username"] as? String ?? "")
                }
            ) { error in
                self.lines.say(error.localizedDescription)
            }
        }

        func write(title: String, body: String) -> String? {
            guard let key = self.ref.child("posts").childByAutoId().key else { return nil }
            let post = ["uid": self.user.uid, "author": self.user.displayName, "title": title, "body": body]
            let childUpdates = ["/posts/\(key)": post, "/user-posts/\(self.user.uid)/\(key)/": post]
            self.ref.updateChildValues(childUpdates)
            return key
        }

        func star(_ post: String, by uid: String) {
            self.ref.child("posts/\(post)").runTransactionBlock({ (currentData: MutableData) -> TransactionResult in
                if var post = currentData.value as? [String: AnyObject] {
                    var stars = post["stars"] as? [String: Bool] ?? [:]
                    var starCount = post["starCount"] as? Int ?? 0
                    if stars[uid] != nil {
                        starCount -= 1
                        stars.removeValue(forKey: uid)
                    } else {
                        starCount += 1
                        stars[uid] = true
                    }
                    post["starCount"] = starCount as AnyObject?
                    post["stars"] = stars as AnyObject?
                    currentData.value = post
                    return TransactionResult.success(withValue: currentData)
                }
                return TransactionResult.success(withValue: currentData)
            }) { error, committed, snapshot in
                if let error { return self.lines.say(error.localizedDescription) }
                let count = snapshot?.childSnapshot(forPath: "starCount").value as? Int ?? 0
                self.lines.say("committed \(committed) \(count)")
            }
        }

        func starByIncrement(_ key: String, of uid: String) {
            let updates =
                [
                    "posts/\(key)/stars/\(self.user.uid)": true,
                    "posts/\(key)/starCount": ServerValue.increment(1),
                    "user-posts/\(uid)/\(key)/stars/\(self.user.uid)": true,
                    "user-posts/\(uid)/\(key)/starCount": ServerValue.increment(1),
                ] as [String: Any]
            self.ref.database.reference().updateChildValues(updates)
        }

        func delete(_ post: String) { self.ref.child("posts").child(post).removeValue() }
    }

    @Test("A basic write, of a whole and of a part, shows to others")
    func basicWrite() async throws {
        try await withServedDatabase { server, database in
            let (blog, lines) = (Blog(database), Lines())
            _ = try server.database().reference(withPath: "users/ada").say(to: lines)
            #expect(await lines.next() == ["null"])
            blog.register(username: "ada")
            #expect(await lines.next() == [#"{"username":"ada"}"#])
            blog.rename("countess")
            #expect(await lines.next() == [#"{"username":"countess"}"#])
            blog.save("lovelace")
            #expect(await blog.lines.next() == ["saved ada"])
            #expect(await lines.next() == [#"{"username":"lovelace"}"#])
        }
    }

    @Test("Data is read once, from the server and by an observer for one event; none is no mistake")
    func readOnce() async throws {
        try await withServedDatabase { _, database in
            let blog = Blog(database)
            blog.readOnce()
            #expect(await blog.lines.next() == ["Unknown"])
            blog.readOnceWithObserver()
            #expect(await blog.lines.next() == [""])
            blog.register(username: "ada")
            blog.readOnce()
            #expect(await blog.lines.next() == ["ada"])
            blog.readOnceWithObserver()
            #expect(await blog.lines.next() == ["ada"])
        }
    }

    @Test("Who observes a post sees it change, until the observer is removed")
    func observe() async throws {
        try await withServedDatabase { server, database in
            let blog = Blog(database)
            blog.observe(post: "p")
            #expect(await blog.lines.next() == ["post none 0"])
            let post = try server.database().reference(withPath: "posts/p")
            try await post.setValue(["title": "On engines", "starCount": 2])
            #expect(await blog.lines.next() == ["post On engines 2"])
            blog.ref.child("posts/p").removeObserver(withHandle: try #require(blog.refHandle))
            try await post.removeValue()
            #expect(try await !blog.ref.child("posts/p").getData().exists())
            blog.observe(post: "p")
            #expect(await blog.lines.next() == ["post none 0"])
            blog.ref.child("posts/p").removeAllObservers()
        }
    }

    @Test("A post is written in two places at once, or in none")
    func updateChildren() async throws {
        try await withServedDatabase { server, database in
            let (blog, lines) = (Blog(database), Lines())
            let other = try server.database().reference()
            _ = other.say(to: lines)
            #expect(await lines.next() == ["null"])
            let key = try #require(blog.write(title: "t", body: "b"))
            let post = #"{"author":"Ada","body":"b","title":"t","uid":"ada"}"#
            // One event: nobody sees one without the other.
            let posts = [#"{"posts":{"\#(key)":\#(post)},"user-posts":{"ada":{"\#(key)":\#(post)}}}"#]
            #expect(await lines.next() == posts)
            blog.delete(key)
            #expect(await lines.next() == [#"{"user-posts":{"ada":{"\#(key)":\#(post)}}}"#])
            other.updateChildValues(
                ["posts/x": 1, "posts/x/y": 2],
                withCompletionBlock: { error, _ in
                    lines.say("refused \(error != nil)")
                }
            )
            #expect(await lines.next() == ["refused true"])
        }
    }

    @Test("Stars are counted by transactions: once for each who gives one, and not twice for one who takes it back")
    func transactions() async throws {
        try await withServedDatabase { server, database in
            let blog = Blog(database)
            try await blog.ref.child("posts/p").setValue(["title": "t"])
            let readers = try (0..<4).map { _ in Blog(try server.database()) }
            for (number, reader) in readers.enumerated() { reader.star("p", by: "reader\(number)") }
            for reader in readers { #expect(await reader.lines.next()[0].hasPrefix("committed true")) }
            blog.star("p", by: "reader0")
            #expect(await blog.lines.next() == ["committed true 3"])
            let stars = try await blog.ref.child("posts/p/stars").getData()
            #expect(stars.value as? [String: Bool] == ["reader1": true, "reader2": true, "reader3": true])
            // A post that is none stays so.
            blog.star("none", by: "ada")
            #expect(await blog.lines.next() == ["committed true 0"])
            #expect(try await !blog.ref.child("posts/none").getData().exists())
        }
    }

    @Test("Stars are counted by increments, in two places at once")
    func increments() async throws {
        try await withServedDatabase { server, database in
            let blogs = [Blog(database), Blog(try server.database()), Blog(try server.database())]
            for blog in blogs {
                blog.starByIncrement("p", of: "bob")
                blog.starByIncrement("p", of: "bob")
                // What comes after it is answered after it.
                try await blog.ref.child("done").setValue(true)
            }
            let ref = try server.database().reference()
            for path in ["posts/p", "user-posts/bob/p"] {
                #expect(try await ref.child(path).getData().json == #"{"starCount":6,"stars":{"ada":true}}"#)
            }
        }
    }

    @Test("Offline, what is written shows at once and is sent when there is a connection")
    func offline() async throws {
        try await withServedDatabase { server, database in
            let (blog, lines) = (Blog(database), Lines())
            blog.observe(post: "p")
            #expect(await blog.lines.next() == ["post none 0"])
            let other = try server.database()
            _ = other.reference(withPath: "posts/p").say(to: lines)
            #expect(await lines.next() == ["null"])
            database.goOffline()
            blog.ref.child("posts/p").setValue(
                ["title": "offline", "starCount": 1],
                withCompletionBlock: { error, _ in
                    blog.lines.say("answered \(error == nil)")
                }
            )
            #expect(await blog.lines.next() == ["post offline 1"])
            database.goOnline()
            #expect(await lines.next() == [#"{"starCount":1,"title":"offline"}"#])
            #expect(await blog.lines.next() == ["answered true"])
        }
    }
}
