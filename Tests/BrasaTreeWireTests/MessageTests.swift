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
            push(.data(try path("posts"), try node(#"{"k1":{"n":1},".priority":2}"#), tag: nil))
                == #"{"t":"d","d":{"a":"d","b":{"p":"posts","d":{"k1":{"n":1},".priority":2}}}}"#
        )
        #expect(
            push(.data(try path("s"), try node(#"{"b":2,"c":3}"#), tag: 1))
                == #"{"t":"d","d":{"a":"d","b":{"p":"s","d":{"b":2,"c":3},"t":1}}}"#
        )
        #expect(push(.data(.root, .absent, tag: nil)) == #"{"t":"d","d":{"a":"d","b":{"p":"","d":null}}}"#)
        // Never an array.
        #expect(
            push(.data(.root, try node("[1,2]"), tag: nil))
                == #"{"t":"d","d":{"a":"d","b":{"p":"","d":{"0":1,"1":2}}}}"#
        )
        #expect(
            push(.merge(try path("s"), [(try path("b"), .absent), (try path("d/e"), try node("4"))], tag: 1))
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
        #expect(push(.revoked(ListenTarget(try path("a/b")))) == #"{"t":"d","d":{"a":"c","b":{"p":"a/b"}}}"#)
        #expect(
            push(.revoked(ListenTarget(try path("a"), try query(#"{"l":3,"vf":"r"}"#))))
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
        #expect(plain == ListenTarget(try path("posts")))
        guard
            case .success(.listen(let filtered, 1, "x", let compound?)) = try request(
                #"{"r":3,"a":"q","b":{"p":"/s","q":{"i":".key","l":2,"vf":"r"},"t":1,"h":"x","ch":{"hs":["a",""],"ps":["b"]}}}"#
            )
        else { throw Unexpected() }
        #expect(filtered == ListenTarget(try path("s"), try query(#"{"l":2,"vf":"r","i":".key"}"#)))
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
        #expect(got == ListenTarget(try path("s")))
        guard
            case .success(.onDisconnectCancel(let cancelled)) = try request(
                #"{"r":3,"a":"oc","b":{"p":"/a/b","d":null}}"#
            )
        else { throw Unexpected() }
        #expect(cancelled == (try path("a/b")))
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
