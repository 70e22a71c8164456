import BrasaTree
import BrasaTreeWire
import Testing

struct MessageTests {
    private func text(_ message: ServerMessage) -> String { String(decoding: message.text, as: UTF8.self) }

    @Test func `Control messages are written as clients read them`() {
        #expect(
            self.text(.hello(milliseconds: 1_700_000_000_000, host: "127.0.0.1:9000", session: "Kp3"))
                == #"{"t":"c","d":{"t":"h","d":{"ts":1700000000000,"v":"5","h":"127.0.0.1:9000","s":"Kp3"}}}"#
        )
        #expect(self.text(.pong) == #"{"t":"c","d":{"t":"o","d":null}}"#)
        #expect(self.text(.reset(host: "h:1")) == #"{"t":"c","d":{"t":"r","d":"h:1"}}"#)
        #expect(self.text(.shutdown(reason: "x")) == #"{"t":"c","d":{"t":"s","d":"x"}}"#)
    }

    @Test func `Pushes are written as clients read them`() throws {
        func push(_ push: TreePush) -> String { self.text(.push(push)) }
        #expect(
            push(.data(TreeLocation(try path("posts")), try node(#"{"k1":{"n":1},".priority":2}"#), tag: nil))
                == #"{"t":"d","d":{"a":"d","b":{"p":"posts","d":{"k1":{"n":1},".priority":2}}}}"#
        )
        #expect(
            push(.data(TreeLocation(try path("s")), try node(#"{"b":2,"c":3}"#), tag: 1))
                == #"{"t":"d","d":{"a":"d","b":{"p":"s","d":{"b":2,"c":3},"t":1}}}"#
        )
        #expect(
            push(.data(TreeLocation(.root), .absent, tag: nil)) == #"{"t":"d","d":{"a":"d","b":{"p":"","d":null}}}"#
        )
        // Never an array.
        #expect(
            push(.data(TreeLocation(.root), try node("[1,2]"), tag: nil))
                == #"{"t":"d","d":{"a":"d","b":{"p":"","d":{"0":1,"1":2}}}}"#
        )
        #expect(
            push(
                .merge(
                    try path("s"),
                    [(TreeLocation(try path("b")), .absent), (TreeLocation(try path("d/e")), try node("4"))],
                    tag: 1
                )
            )
                == #"{"t":"d","d":{"a":"m","b":{"p":"s","d":{"b":null,"d/e":4},"t":1}}}"#
        )
        #expect(
            push(
                .rangeMerges(
                    try path("l"),
                    [RangeMerge(start: nil, end: LeafPath("a/b"), node: try node(#"{"a":{"b":1}}"#))],
                    tag: nil
                )
            )
                == #"{"t":"d","d":{"a":"rm","b":{"p":"l","d":[{"e":"a/b","m":{"a":{"b":1}}}]}}}"#
        )
        #expect(push(.revoked(TreeTarget(try path("a/b")))) == #"{"t":"d","d":{"a":"c","b":{"p":"a/b"}}}"#)
        #expect(
            push(.revoked(TreeTarget(try path("a"), try query(#"{"l":3,"vf":"r"}"#))))
                == #"{"t":"d","d":{"a":"c","b":{"p":"a","q":[{"l":3,"vf":"r"}]}}}"#
        )
        #expect(
            push(.authRevoked(.expiredToken, reason: "x"))
                == #"{"t":"d","d":{"a":"ac","b":{"s":"expired_token","d":"x"}}}"#
        )
    }

    @Test func `Responses have status and data`() throws {
        #expect(self.text(.response(number: 1, .ok, .empty)) == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#)
        #expect(
            self.text(.response(number: 2, .ok, .value(["w": ["no_index"]])))
                == #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":{"w":["no_index"]}}}}"#
        )
        #expect(
            self.text(.response(number: 3, .permissionDenied, .text("Permission denied")))
                == #"{"t":"d","d":{"r":3,"b":{"s":"permission_denied","d":"Permission denied"}}}"#
        )
        #expect(
            self.text(.response(number: 4, .ok, .node(try node("[1]"))))
                == #"{"t":"d","d":{"r":4,"b":{"s":"ok","d":{"0":1}}}}"#
        )
    }

    @Test func `Requests are read`() throws {
        guard
            case .success(.listen(let plain, nil, "", nil)) = try request(#"{"r":2,"a":"q","b":{"p":"/posts","h":""}}"#)
        else { throw Unexpected() }
        #expect(plain == TreeTarget(try path("posts")))
        guard
            case .success(.listen(let filtered, 1, "x", let compound?)) = try request(
                #"{"r":3,"a":"q","b":{"p":"/s","q":{"i":".key","l":2,"vf":"r"},"t":1,"h":"x","ch":{"hs":["a",""],"ps":["b"]}}}"#
            )
        else { throw Unexpected() }
        #expect(filtered == TreeTarget(try path("s"), try query(#"{"l":2,"vf":"r","i":".key"}"#)))
        #expect(compound.posts == [LeafPath("b")])
        guard
            case .success(.unlisten(let ended, 1)) = try request(
                #"{"r":3,"a":"n","b":{"p":"/s","q":{"i":".key","l":2,"vf":"r"},"t":1}}"#
            )
        else { throw Unexpected() }
        #expect(ended == filtered)
        guard case .success(.get(let got)) = try request(#"{"r":3,"a":"g","b":{"p":"/s","q":{}}}"#) else {
            throw Unexpected()
        }
        #expect(got == TreeTarget(try path("s")))
        for text in ["/a/b", "/a/b/.priority"] {
            guard
                case .success(.onDisconnectCancel(let cancelled)) = try request(
                    #"{"r":3,"a":"oc","b":{"p":"\#(text)","d":null}}"#
                )
            else { throw Unexpected() }
            #expect(cancelled == (try TreeLocation(text)))
        }
        for (content, isThere) in [
            (#"{"r":1,"a":"s","b":{"c":{"sdk.js.11-0-0":1}}}"#, true), (#"{"r":1,"a":"unauth","b":{}}"#, true),
        ] {
            #expect(((try? request(content).get()) != nil) == isThere)
        }
    }

    /// Clients write the members of a message in any order.
    @Test(arguments: [
        #"{"r":4,"a":"p","b":{"p":"/s/d","d":{"x":[1,{".sv":"timestamp"}]},"h":"y"}}"#,
        #"{"b":{"d":{"x":[1,{".sv":"timestamp"}]},"h":"y","p":"/s/d"},"r":4,"a":"p"}"#,
        #"{"b":{"d":{"x":[1,{".sv":"timestamp"}]},"p":"s/d/","h":"y","d2":{"d":1}},"a":"p","r":4}"#,
    ])
    func `The data of a write is read wherever it stands`(_ content: String) throws {
        guard case .success(.put(let write, "y")) = try request(content) else { throw Unexpected() }
        let change = try write.resolved(in: .absent, milliseconds: 9)
        #expect(change.applied(to: .absent) == (try node(#"{"s":{"d":{"x":[1,9]}}}"#)))
        guard case .success(.onDisconnectPut) = try request(content.replacing(#""a":"p""#, with: #""a":"o""#)) else {
            throw Unexpected()
        }
    }

    @Test func `Updates are read with their paths`() throws {
        for (name, isWrite) in [("m", true), ("om", false)] {
            let action = try request(#"{"r":1,"a":"\#(name)","b":{"p":"/u","d":{"a/b":1,"c":null}}}"#).get()
            switch action {
            case .merge(let write, nil) where isWrite, .onDisconnectMerge(let write) where !isWrite:
                #expect(write.isUpdate && write.assignments.map(\.location.description) == ["/u/a/b", "/u/c"])
            default: throw Unexpected()
            }
        }
    }

    @Test func `Credentials are read`() throws {
        func credential(_ body: String, _ name: String) throws -> TreeCredential? {
            guard case .authenticate(let credential) = try request(#"{"r":1,"a":"\#(name)","b":\#(body)}"#).get() else {
                return nil
            }
            return credential
        }
        #expect(try credential(#"{"cred":"x"}"#, "auth") == TreeCredential(token: "x", isAdministrator: false))
        #expect(try credential(#"{"cred":"owner"}"#, "gauth") == TreeCredential(token: "owner", isAdministrator: true))
        #expect(try credential(#"{"cred":"o","noauth":true}"#, "gauth")?.override == .null)
        #expect(try credential(#"{"cred":"o","authvar":{"uid":"x"}}"#, "gauth")?.override == ["uid": "x"])
    }

    /// They are answered: a client waits for each answer for ever.
    @Test(arguments: [
        (#"{"r":1,"a":"zz","b":{}}"#, "unknown_action"), (#"{"r":1,"b":{}}"#, "invalid_arguments"),
        (#"{"r":1,"a":"p","b":{"d":1}}"#, "invalid_arguments"),
        (#"{"r":1,"a":"p","b":{"p":"/a"}}"#, "invalid_arguments"),
        (#"{"r":1,"a":"p","b":{"p":"/a","d":1,"h":5}}"#, "invalid_arguments"),
        (#"{"r":1,"a":"p","b":{"p":"/a.b","d":1}}"#, "invalid_data"),
        (#"{"r":1,"a":"p","b":{"p":"/a","d":{"b.c":1}}}"#, "invalid_data"),
        (#"{"r":1,"a":"p","b":{"p":"/a/.priority","d":true}}"#, "invalid_data"),
        (#"{"r":1,"a":"p","b":{"p":"/.info/connected","d":true}}"#, "invalid_data"),
        (#"{"r":1,"a":"m","b":{"p":"/a","d":5}}"#, "invalid_data"),
        (#"{"r":1,"a":"m","b":{"p":"/a","d":null}}"#, "invalid_data"),
        (#"{"r":1,"a":"m","b":{"p":"/a","d":{"x":1,"x/y":2}}}"#, "invalid_data"),
        (#"{"r":1,"a":"q","b":{"p":"/a","q":{"l":0},"t":1}}"#, "invalid_data"),
        (#"{"r":1,"a":"q","b":{"p":"/a","q":{"l":2}}}"#, "invalid_arguments"),
        (#"{"r":1,"a":"q","b":{"p":"/a","t":2}}"#, "invalid_arguments"),
        (#"{"r":1,"a":"q","b":{"p":"/a","h":"","ch":5}}"#, "invalid_data"),
        (#"{"r":1,"a":"auth","b":{}}"#, "invalid_arguments"),
        (#"{"r":1,"a":"g","b":{"p":"/a/.priority"}}"#, "invalid_arguments"),
        (#"{"r":1,"a":"p","b":[1]}"#, "invalid_arguments"),
    ])
    func `Requests that cannot be done are refused by a status`(_ content: String, _ status: String) throws {
        guard case .failure(let fault) = try request(content) else { throw Unexpected() }
        #expect(fault.status.rawValue == status)
        #expect(!fault.message.isEmpty)
    }

    /// Each as a client writes it; it is written again as it was read.
    @Test(arguments: [
        #"{"r":1,"a":"s","b":{"c":{"sdk.js.11-0-0":1}}}"#, #"{"r":2,"a":"q","b":{"p":"/posts","h":""}}"#,
        #"{"r":3,"a":"q","b":{"p":"/s","q":{"i":".key","l":2,"vf":"r"},"t":1,"h":"x","ch":{"hs":["a",""],"ps":["b/c"]}}}"#,
        #"{"r":4,"a":"n","b":{"p":"/s","q":{"i":".key","l":2,"vf":"r"},"t":1}}"#,
        #"{"r":5,"a":"p","b":{"p":"/","d":null}}"#,
        #"{"r":6,"a":"p","b":{"p":"/a/.priority","d":{".sv":"timestamp"},"h":"y"}}"#,
        #"{"r":7,"a":"p","b":{"p":"/a","d":{"k":{".sv":{"increment":1.5}},"l":{".value":{".sv":"timestamp"},".priority":"p"},".priority":2}}}"#,
        #"{"r":8,"a":"p","b":{"p":"/a","d":{"k":1,"m":{"t":{".sv":"timestamp"},"u":[true]},".priority":{".sv":"timestamp"}}}}"#,
        #"{"r":8,"a":"p","b":{"p":"/a","d":{".value":"x",".priority":{".sv":{"increment":1}}}}}"#,
        #"{"r":9,"a":"m","b":{"p":"/u","d":{"a/b":1,"c":null,"d/.priority":4}}}"#,
        #"{"r":10,"a":"g","b":{"p":"/s","q":{}}}"#,
        #"{"r":11,"a":"o","b":{"p":"/a","d":false}}"#, #"{"r":12,"a":"om","b":{"p":"/a","d":{"x":1}}}"#,
        #"{"r":13,"a":"oc","b":{"p":"/a","d":null}}"#, #"{"r":13,"a":"oc","b":{"p":"/a/.priority","d":null}}"#,
        #"{"r":14,"a":"auth","b":{"cred":"x"}}"#,
        #"{"r":15,"a":"gauth","b":{"cred":"o","noauth":true}}"#,
        #"{"r":16,"a":"gauth","b":{"cred":"o","authvar":{"uid":"x"}}}"#,
        #"{"r":17,"a":"unauth","b":{}}"#, #"{"r":18,"a":"appcheck","b":{"token":"x"}}"#,
        #"{"r":19,"a":"unappeck","b":{}}"#,
    ])
    func `A request is written as it is read`(_ content: String) throws {
        guard case .request(let first) = try ClientMessage(envelope(content)) else { throw Unexpected() }
        let text = try first.action.get().text(number: first.number)
        // Arrays become keys; else the text is the client's.
        if !content.contains("[true]") {
            #expect(String(decoding: text, as: UTF8.self) == String(decoding: envelope(content), as: UTF8.self))
        }
        guard case .request(let again) = try ClientMessage(text) else { throw Unexpected() }
        #expect(try again.action.get().text(number: again.number) == text)
    }

    @Test(arguments: [
        #"{"t":"c","d":{"t":"h","d":{"ts":1700000000000,"v":"5","h":"127.0.0.1:9000","s":"Kp3"}}}"#,
        #"{"t":"c","d":{"t":"o","d":null}}"#, #"{"t":"c","d":{"t":"r","d":"h:1"}}"#,
        #"{"t":"c","d":{"t":"s","d":"x"}}"#,
        #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#,
        #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":{"w":["no_index"]}}}}"#,
        #"{"t":"d","d":{"r":3,"b":{"s":"permission_denied","d":"Permission denied"}}}"#,
        #"{"t":"d","d":{"a":"d","b":{"p":"posts","d":{"k1":{"n":1},".priority":2}}}}"#,
        #"{"t":"d","d":{"a":"d","b":{"p":"a/.priority","d":5}}}"#, #"{"t":"d","d":{"a":"d","b":{"p":"","d":null}}}"#,
        #"{"t":"d","d":{"a":"m","b":{"p":"s","d":{"b":null,"d/e":4},"t":1}}}"#,
        #"{"t":"d","d":{"a":"rm","b":{"p":"l","d":[{"e":"a/b","m":{"a":{"b":1}}}]}}}"#,
        #"{"t":"d","d":{"a":"c","b":{"p":"a/b"}}}"#,
        #"{"t":"d","d":{"a":"c","b":{"p":"a","q":[{"l":3,"vf":"r"}]}}}"#,
        #"{"t":"d","d":{"a":"ac","b":{"s":"expired_token","d":"x"}}}"#,
    ])
    func `What the server says is read as it is written`(_ text: String) throws {
        let message = try #require(try ServerMessage.reading(Array(text.utf8)))
        #expect(self.text(message) == text)
    }

    @Test func `What a client need not know is passed over, what is no message is a fault`() throws {
        #expect(try ServerMessage.reading(Array(#"{"t":"c","d":{"t":"e","d":"x"}}"#.utf8)).map(self.text) == nil)
        #expect(
            try ServerMessage.reading(Array(#"{"t":"d","d":{"a":"sd","b":{"msg":"x"}}}"#.utf8)).map(self.text) == nil
        )
        for text in ["", "{}", #"{"t":"d","d":{"a":"d","b":{"p":"a.b","d":1}}}"#, #"{"t":"c","d":{"t":"h","d":{}}}"#] {
            #expect(throws: WireFault.malformedMessage) { try ServerMessage.reading(Array(text.utf8)) }
        }
    }

    @Test(arguments: [
        "", "{", "[]", "5", "{}", #"{"t":"d"}"#, #"{"t":"d","d":5}"#, #"{"t":"d","d":{}}"#, #"{"t":"x","d":{"r":1}}"#,
        #"{"t":"d","d":{"r":"1","a":"s"}}"#, #"{"t":"d","d":{"r":1,"a":"p","b":{"d":1,"d":2}}}"#, "\u{0}",
    ])
    func `What is no message ends the connection`(_ text: String) {
        #expect(throws: WireFault.malformedMessage) { try ClientMessage(Array(text.utf8)) }
    }

    @Test func `What stands beside a message's data is bounded, its depth, too`() {
        var limits = WireLimits()
        limits.messageValuesMax = 10
        let wide =
            #"{"r":1,"a":"p","b":{"p":"/a","x":[\#(Array(repeating: "1", count: 20).joined(separator: ","))],"d":1}}"#
        #expect(throws: WireFault.malformedMessage) { try ClientMessage(envelope(wide), limits: limits) }
        let data = #"{"r":1,"a":"p","b":{"p":"/a","d":[\#(Array(repeating: "1", count: 20).joined(separator: ","))]}}"#
        #expect(throws: Never.self) { try ClientMessage(envelope(data), limits: limits) }
        let deep = #"{"r":1,"a":"p","b":{"p":"/a","d":\#(String(repeating: "[", count: 1_000))"#
        #expect(throws: WireFault.malformedMessage) { try ClientMessage(envelope(deep)) }
    }

    @Test func `Nothing that strangers send is a trap`() {
        let tokens = [
            "{", "}", "[", "]", ":", ",", #""t""#, #""d""#, #""r""#, #""a""#, #""b""#, #""p""#, #""q""#, "1", "null",
            #""c""#,
            #""/a""#, #"{"t":"d","d":"#, #"{"r":1,"a":"p","b":"#, "true",
        ]
        var state: UInt64 = 7
        func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<10_000 {
            let text = (0..<below(16)).map { _ in tokens[below(tokens.count)] }.joined()
            _ = try? ClientMessage(Array(text.utf8))
            var connection = TreeConnection(milliseconds: 0)
            _ = connection.receive(Array(text.utf8), milliseconds: 0)
        }
    }
}
