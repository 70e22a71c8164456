/// What long polling answers: scripts for a frame of the client's page, which call what the page has defined.
package enum PollScript {
    /// Defines what the other scripts call, in the frame where all of them run.
    package static func functions(_ callback: PollRequest.Callback) -> String {
        """
        function pLPCommand(name, first, second) {
          var command = parent.window["pLPCommand\(callback.digits)"];
          if (command) command(name, first, second);
        }
        function pRTLPCB(number, messages) {
          var receive = parent.window["pRTLPCB\(callback.digits)"];
          if (receive) receive(number, messages);
        }

        """
    }

    /// - Parameter key: of digits and letters alone.
    package static func start(_ key: PollRequest.Key) -> String {
        "pLPCommand('start','\(key.id)','\(key.password)');\n"
    }

    /// The session is over, or never was.
    package static let close = "pLPCommand('close');\n"

    /// The same, when the client has had the replies up to this one.
    package static func closing(after reply: PollMachine.Reply) -> String { "pLPCommand('close',\(reply.number));\n" }

    /// A page that says, when it goes, that the session which its address names is over.
    package static let leavingPage = """
        <!DOCTYPE html><meta charset="utf-8"><title></title><script>
        addEventListener("pagehide", function () {
          var address = location.pathname + "?disconn=t&" + location.search.slice(1);
          if (!navigator.sendBeacon || !navigator.sendBeacon(address)) new Image().src = address;
        });
        </script>

        """

    /// - Parameter reply: its messages are `escaped`.
    package static func reply(_ reply: PollMachine.Reply) -> [UInt8] {
        var script = Array("pRTLPCB(\(reply.number),[".utf8)
        script.reserveCapacity(script.count + reply.messages.reduce(8) { $0 + $1.count + 1 })
        for (index, message) in reply.messages.enumerated() {
            if index > 0 { script.append(UInt8(ascii: ",")) }
            script += message
        }
        return script + Array("]);\n".utf8)
    }

    private static let prototype = Array(#""__proto__":"#.utf8)

    /// JSON as a script may have it: with nothing that ends a script or a line of one, and with a member for each key, also
    /// for the one that would be an object's prototype.
    package static func escaped(_ json: [UInt8]) -> [UInt8] {
        var script: [UInt8] = []
        script.reserveCapacity(json.count)
        json.withUnsafeBufferPointer { json in
            var start = 0
            var index = 0
            while index < json.count {
                guard let (count, escape) = self.escape(UnsafeBufferPointer(rebasing: json[index...])) else {
                    index += 1
                    continue
                }
                script.append(contentsOf: json[start..<index])
                script.append(contentsOf: escape)
                index += count
                start = index
            }
            script.append(contentsOf: json[start...])
        }
        return script
    }

    private static let lessThan = Array(#"\u003c"#.utf8)
    private static let separators = [Array(#"\u2028"#.utf8), Array(#"\u2029"#.utf8)]
    private static let keys = [UInt8(ascii: "{"), UInt8(ascii: ",")].map { [$0] + Array(#"["__proto__"]:"#.utf8) }

    /// What stands for the beginning, and for how much of it; nil where the first byte stands for itself.
    private static func escape(_ json: UnsafeBufferPointer<UInt8>) -> (count: Int, escape: [UInt8])? {
        switch json[0] {
        case UInt8(ascii: "<"): return (1, self.lessThan)
        case 0xE2:
            guard json.count >= 3, json[1] == 0x80, json[2] == 0xA8 || json[2] == 0xA9 else { return nil }
            return (3, self.separators[json[2] == 0xA8 ? 0 : 1])
        case UInt8(ascii: "{"), UInt8(ascii: ","):
            guard json.dropFirst().starts(with: self.prototype) else { return nil }
            return (1 + self.prototype.count, self.keys[json[0] == UInt8(ascii: "{") ? 0 : 1])
        default: return nil
        }
    }
}
