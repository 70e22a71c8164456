import BrasaIdentity
import BrasaTreeService
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaTreeDoor

@Suite struct TreeDoorTests {
    @Test func `Paths that end with json are nodes of the tree that the host names, or ns`() throws {
        let line = try TreeLine()
        defer { line.close() }
        #expect(try line.send("PUT", "/a/b.json", "1").hasSuffix("\r\n\r\n1"))
        #expect(try line.send("GET", "/.json").hasSuffix(#"{"a":{"b":1}}"#))
        #expect(try line.send("GET", "/a/.json?ns=one").hasSuffix(#"{"b":1}"#))
        #expect(try line.send("GET", "/.json?ns=two").hasSuffix("\r\n\r\nnull"))
        #expect(try line.send("PUT", "/a/.priority.json", "5").hasSuffix("\r\n\r\n5"))
        #expect(try line.send("GET", "/a.json?format=export").hasSuffix(#"{"b":1,".priority":5}"#))
        #expect(try line.send("GET", "/a").hasPrefix("HTTP/1.1 404 "))
        #expect(try line.send("GET", "/a%2Fb.json").hasPrefix("HTTP/1.1 400 "))
        #expect(try line.send("GET", "/.json?ns=a.b").hasPrefix("HTTP/1.1 400 "))
    }

    @Test func `A POST may stand for another method`() throws {
        let line = try TreeLine()
        defer { line.close() }
        _ = try line.send("POST", "/a.json", "1", "x-http-method-override: PUT\r\n")
        #expect(try line.send("GET", "/a.json").hasSuffix("\r\n\r\n1"))
        #expect(try line.send("POST", "/a.json?x-http-method-override=DELETE").hasSuffix("\r\n\r\nnull"))
        #expect(try line.send("GET", "/a.json").hasSuffix("\r\n\r\nnull"))
        #expect(try line.send("POST", "/a.json", "1", "x-http-method-override: TRACE\r\n").hasPrefix("HTTP/1.1 405 "))
    }

    @Test func `Conditions, their outcome and what browsers ask for are fields of the head`() throws {
        let line = try TreeLine()
        defer { line.close() }
        let seen = try line.send("GET", "/n.json", "", "X-Firebase-ETag: true\r\n")
        #expect(seen.contains("etag: null_etag\r\n") && seen.contains("access-control-allow-origin: *\r\n"))
        #expect(try line.send("PUT", "/n.json", "1", "if-match: null_etag\r\n").hasPrefix("HTTP/1.1 200 "))
        let late = try line.send("PUT", "/n.json", "2", "if-match: null_etag\r\n")
        #expect(late.hasPrefix("HTTP/1.1 412 ") && late.contains("etag: ") && late.hasSuffix("\r\n\r\n1"))
        let silent = try line.send("PUT", "/n.json?print=silent", "2")
        #expect(silent.hasPrefix("HTTP/1.1 204 ") && !silent.contains("content-length"))
        let preflight = try line.send("OPTIONS", "/n.json")
        #expect(preflight.contains("access-control-allow-methods: GET, PUT, POST, PATCH, DELETE\r\n"))
    }

    @Test func `A token may come in the target, and one that is not believed is told so in JSON`() throws {
        let line = try TreeLine(
            .credentials { credentials, _ in
                let isGood = credentials == Credentials(authorization: "Bearer good one")
                return isGood ? Identification.caller(.administrator) : Identification.refused
            }
        )
        defer { line.close() }
        #expect(try line.send("GET", "/a.json?auth=good+one").hasPrefix("HTTP/1.1 200 "))
        #expect(try line.send("GET", "/a.json?access_token=good%20one").hasPrefix("HTTP/1.1 200 "))
        let refused = try line.send("GET", "/a.json?auth=bad")
        #expect(refused.hasPrefix("HTTP/1.1 401 ") && refused.hasSuffix(#"{"error":"Could not parse auth token."}"#))
    }

    @Test func `A large answer comes in chunks, and the connection goes on`() throws {
        let line = try TreeLine()
        defer { line.close() }
        let body = "{" + (0..<20_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
        _ = try line.send("PUT", "/large.json?print=silent", body)
        var answer = try line.send("GET", "/large.json")
        for _ in 0..<20 {
            line.run()
            answer += try line.send("GET", "/none.json")
        }
        #expect(answer.contains("transfer-encoding: chunked\r\n") && answer.contains("\"k19999\":19999"))
        #expect(answer.hasSuffix("\r\n\r\nnull"))
    }

    // MARK: Event streams

    @Test func `A stream begins with what is there, and is told each change by its path`() throws {
        let line = try TreeLine()
        defer { line.close() }
        _ = try line.send("PUT", "/a.json", #"{"x":1}"#)
        let stream = try line.follow("/a.json")
        let first = try TreeLine.read(stream)
        #expect(first.contains("content-type: text/event-stream; charset=utf-8\r\n"))
        #expect(first.contains("event: put\ndata: {\"path\":\"/\",\"data\":{\"x\":1}}\n\n"))
        let cases: [(method: String, target: String, body: String, event: String)] = [
            ("PUT", "/a/y.json", "2", "event: put\ndata: {\"path\":\"/y\",\"data\":2}\n\n"),
            (
                "PATCH", "/a.json", #"{"x":3,"z/w":4}"#,
                "event: patch\ndata: {\"path\":\"/\",\"data\":{\"x\":3,\"z/w\":4}}\n\n"
            ),
            ("PATCH", "/a/z.json", #"{"w":5}"#, "event: patch\ndata: {\"path\":\"/z\",\"data\":{\"w\":5}}\n\n"),
            ("PUT", "/b.json", "1", ""),
            ("PUT", "/a/y.json", "2", ""),
            ("DELETE", "/a/y.json", "", "event: put\ndata: {\"path\":\"/y\",\"data\":null}\n\n"),
            ("PUT", "/.json", #"{"a":7}"#, "event: put\ndata: {\"path\":\"/\",\"data\":7}\n\n"),
        ]
        for (method, target, body, event) in cases {
            _ = try line.send(method, target, body)
            line.run()
            let told = try TreeLine.read(stream)
            #expect(event.isEmpty ? told.isEmpty : told.contains(event), "\(method) \(target): \(told)")
        }
    }

    @Test func `A stream of a query is told who comes into its window and who leaves`() throws {
        let line = try TreeLine()
        defer { line.close() }
        _ = try line.send("PUT", "/.settings/rules.json", #"{"rules":{"q":{".indexOn":".value"}}}"#)
        _ = try line.send("PUT", "/q.json", #"{"a":1,"b":2,"c":3}"#)
        let stream = try line.follow("/q.json?orderBy=%22%24value%22&limitToLast=2")
        #expect(try TreeLine.read(stream).contains("{\"path\":\"/\",\"data\":{\"b\":2,\"c\":3}}"))
        _ = try line.send("PUT", "/q/d.json", "9")
        line.run()
        let told = try TreeLine.read(stream)
        #expect(told.contains("{\"path\":\"/b\",\"data\":null}") && told.contains("{\"path\":\"/d\",\"data\":9}"))
    }

    @Test func `A stream that has nothing to tell says that it lives`() throws {
        let line = try TreeLine()
        defer { line.close() }
        let stream = try line.follow("/a.json")
        _ = try TreeLine.read(stream)
        line.loop.advanceTime(by: .seconds(Int64(EventSender.keepAliveTicks)))
        line.run()
        #expect(try TreeLine.read(stream).contains("event: keep-alive\ndata: null\n\n"))
    }

    /// Whoever shows a token is the user of that name; who shows none the owner.
    private static func users() -> Reception {
        .credentials { credentials, _ in
            guard let authorization = credentials.authorization else { return .caller(.administrator) }
            let text = String(decoding: authorization, as: UTF8.self)
            return .caller(.user(User(id: String(text.dropFirst("Bearer ".count)))))
        }
    }

    @Test func `A stream ends when rules do not allow it any more, and others go on`() throws {
        let line = try TreeLine(Self.users())
        defer { line.close() }
        let members = #"{".read":"root.child('members/'+auth.uid).exists()"}"#
        _ = try line.send("PUT", "/.settings/rules.json", #"{"rules":{"open":{".read":true},"room":"# + members + "}}")
        _ = try line.send("PUT", "/members.json", #"{"ada":1,"bob":1}"#)
        let (ada, bob) = (try line.follow("/room.json?auth=ada"), try line.follow("/room.json?auth=bob"))
        let open = try line.follow("/open.json?auth=bob")
        for stream in [ada, bob, open] { _ = try TreeLine.read(stream) }
        // What a rule looks at has changed.
        _ = try line.send("DELETE", "/members/bob.json")
        line.followers.tick()
        line.run()
        let told = try TreeLine.read(bob)
        #expect(told.contains("event: cancel\ndata: \"Permission denied\"\n\n") && told.hasSuffix("0\r\n\r\n"))
        _ = try line.send("PUT", "/room/x.json", "1")
        #expect(try TreeLine.read(ada).contains("{\"path\":\"/x\",\"data\":1}"))
        // Other rules are asked before anything more is told.
        _ = try line.send("PUT", "/.settings/rules.json", #"{"rules":{"open":{".read":true}}}"#)
        _ = try line.send("PUT", "/room/x.json", "2")
        let last = try TreeLine.read(ada)
        #expect(last.contains("event: cancel\n") && !last.contains("\"data\":2"))
        _ = try line.send("PUT", "/open/x.json", "3")
        #expect(try TreeLine.read(open).contains("{\"path\":\"/x\",\"data\":3}"))
    }

    @Test func `Rules are shown as they were written, replaced, and asked from then on`() throws {
        let line = try TreeLine(Self.users())
        defer { line.close() }
        let rules = #"{"rules":{/* notes */"notes":{"$u":{".read":"auth.uid===$u",".write":"auth.uid===$u"}}}}"#
        #expect(try line.send("GET", "/.settings/rules.json").hasSuffix(#"{"rules":{".read":false,".write":false}}"#))
        #expect(try line.send("PUT", "/notes/ada.json?auth=ada", "1").hasPrefix("HTTP/1.1 401 "))
        #expect(try line.send("PUT", "/.settings/rules.json?dryRun=true", rules).hasSuffix(#"{"status":"ok"}"#))
        #expect(try line.send("PUT", "/notes/ada.json?auth=ada", "1").hasPrefix("HTTP/1.1 401 "))
        #expect(try line.send("PUT", "/.settings/rules.json", rules).hasSuffix(#"{"status":"ok"}"#))
        #expect(try line.send("GET", "/.settings/rules.json").hasSuffix(rules))
        #expect(try line.send("PUT", "/notes/ada.json?auth=ada", "1").hasPrefix("HTTP/1.1 200 "))
        #expect(try line.send("GET", "/notes/ada.json?auth=bob").hasSuffix(#"{"error":"Permission denied"}"#))
        let wrong = try line.send("PUT", "/.settings/rules.json", "{\"rules\":{\n\".read\":\"nobody\"}}")
        #expect(wrong.hasPrefix("HTTP/1.1 400 ") && wrong.contains("Line 2:"))
        #expect(try line.send("GET", "/.settings/rules.json").hasSuffix(rules))
        for method in ["GET", "PUT", "DELETE"] {
            #expect(try line.send(method, "/.settings/rules.json?auth=ada", rules).hasPrefix("HTTP/1.1 401 "))
        }
        #expect(try line.send("GET", "/.inspect/databases.json").hasSuffix(#"[{"name":"one"}]"#))
        #expect(try line.send("GET", "/.inspect/databases.json?auth=ada").hasPrefix("HTTP/1.1 401 "))
        #expect(try line.send("GET", "/.json?ns=.settings").hasPrefix("HTTP/1.1 400 "))
        #expect(try line.send("DELETE", "/.settings/rules.json").hasPrefix("HTTP/1.1 200 "))
        #expect(try line.send("GET", "/notes/ada.json?auth=ada").hasPrefix("HTTP/1.1 401 "))
    }

    @Test func `Settings of tools are kept and shown, and are what they may be`() throws {
        let line = try TreeLine(Self.users())
        defer { line.close() }
        for (name, first, second, wrong) in [
            ("defaultWriteSizeLimit", #""large""#, #""unlimited""#, #""huge""#),
            ("strictTriggerValidation", "true", "false", "0"),
        ] {
            let target = "/.settings/\(name).json"
            #expect(try line.send("GET", target).hasSuffix("\r\n\r\n" + first))
            #expect(try line.send("PUT", target, second).hasSuffix("\r\n\r\n" + second))
            #expect(try line.send("GET", target).hasSuffix("\r\n\r\n" + second))
            #expect(try line.send("GET", target + "?ns=another").hasSuffix("\r\n\r\n" + first))
            for body in [wrong, "{", "null"] { #expect(try line.send("PUT", target, body).hasPrefix("HTTP/1.1 400 ")) }
            #expect(try line.send("POST", target, second).hasPrefix("HTTP/1.1 405 "))
            for method in ["GET", "PUT"] {
                #expect(try line.send(method, target + "?auth=ada", first).hasPrefix("HTTP/1.1 401 "))
            }
            #expect(try line.send("GET", target).hasSuffix("\r\n\r\n" + second))
        }
        #expect(try line.send("GET", "/.settings/profile.json").hasPrefix("HTTP/1.1 400 "))
        #expect(try line.send("GET", "/.inspect/databases.json").hasSuffix("[]"))
    }

    @Test func `A stream ends when what let its reader in does not hold any more`() throws {
        let stands = Standing()
        let line = try TreeLine(
            .credentials { _, _ in Identification.admitted(Admission(.administrator, stands: { stands.value })) }
        )
        defer { line.close() }
        let stream = try line.follow("/a.json")
        _ = try TreeLine.read(stream)
        stands.value = false
        line.loop.advanceTime(by: .seconds(1))
        line.run()
        let told = try TreeLine.read(stream)
        #expect(told.contains("event: auth_revoked\ndata: credential is no longer valid\n\n"))
        #expect(told.hasSuffix("0\r\n\r\n"))
    }
}
