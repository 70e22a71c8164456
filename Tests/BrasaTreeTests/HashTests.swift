import BrasaBytes
import BrasaQueryModel
import BrasaTree
import Testing

struct HashTests {
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
        (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
    ])
    func `SHA-1 agrees with its standard`(_ text: String, _ digest: String) {
        let hexadecimal = SHA1.digest(Array(text.utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        #expect(hexadecimal.joined() == digest)
    }

    @Test func `SHA-1 does not mind how a text is cut`() {
        let text = (0..<200).map { UInt8($0) }
        var hash = SHA1()
        for count in [0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 200] {
            let part = Array(text[..<count])
            for byte in part { hash.append(byte) }
            let bytewise = hash.finish()
            hash.append(Array(part[..<(count / 3)]))
            hash.append(Array(part[(count / 3)...]))
            #expect(bytewise == SHA1.digest(part))
            #expect(hash.finish() == SHA1.digest(part))
        }
    }

    /// The official vectors.
    @Test(arguments: [
        ("4", "eVih19a6ZDz3NL32uVBtg9KSgQY="), ("4.5623", "vf1CL0tIRwXXunHcG/irRECk3lY="),
        (#""hey guys""#, "CUNLXWpCVoJE6z7z1vE57lGaKAU="), ("true", "E5z61QM0lN/U2WsOnusszCTkR8M="),
        ("false", "aSSNoqcS4oQwJ2xxH20rvpp3zP0="), ("0", "7ysMph9WPitGP7poMnMHMVPtUlI="),
        ("1", "YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="), ("500", "Ajg9bohDwTVmqR14o1bVJnneryM="),
        (#""""#, "Ki0Xy0V6morg0TO3Sxi/jwugYDQ="), (#""Hello World""#, "B8HWXc7zXMjrsnJxPRj7wrNGqt4="),
        (#""bar""#, "9q1XbR6M8eku+omj9cTQ2E5Jg1A="), ("10", "+r5aI9HvKKagELki8SYKBk0q7D4="),
        (#"{".value":99,".priority":"abc"}"#, "EUMDxi+4MfsdQdEFm3D/IWo8Kc4="),
        (#"{".value":99,".priority":42}"#, "ZzN4Bm6ba8knVsIPMnk0sWnxkIc="),
        (#"{"foo":"bar"}"#, "XnLeTeWQmzTHImTbSMDLg/qMrKY="), ("null", ""), ("{}", ""),
        (
            #"{"intNode":4,"doubleNode":4.5623,"stringNode":"hey guys","boolNode":true}"#,
            "6Mc4jFmNdrLVIlJJjz2/MakTK9I="
        ),
        (
            #"{"root":{"c":{".value":99,".priority":"abc"},".priority":"def"}}"#,
            "Fm6tzN4CVEu5WxFDZUdTtqbTVaA="
        ),
        (#"{"root":{"c":{".value":99,".priority":42},".priority":3.14}}"#, "B15QCqrzCxrI5zz1y00arWqFRFg="),
        (#"{"z":1,"a":"2","b":"true","c":false}"#, "8qk5vmuZGXWJx+77SGwjYRM0yPA="),
        ("-1.7976931348623157e308", "7HxgOBDEC92uQwhCuuvKA2rbXDA="),
        ("1.7976931348623157e308", "8R+ekVQmxs6ZWP0fdzFHxVeGnWo="),
        ("\"unicode ✔ 🐵 🌴 x͢\"", "JoKoFUnbmg3/DlY70KaDWslfYPk="), ("3.141592653589793", "Y41iC5+92GIqXfabOm33EanRI8s="),
        (#"{".value":12345678901234568,".priority":"🐵"}"#, "+E+Mxlqh5MhT+On05bjsZ6JaaxI="),
        (#""foo""#, "MRRL/+aA/uibaL//jghUpxXS/uY="),
        (
            "{\"a\":-1.7976931348623157e308,\"b\":1.7976931348623157e308,\"c\":\"unicode ✔ 🐵 🌴 x͢\","
                + #""d":3.141592653589793,"e":{".value":12345678901234568,".priority":"🐵"},"✔":"foo",".priority":"✔"}"#,
            "CyC0OU8GSkOAKnsPjheWtWC0Yxo="
        ),
    ])
    func `Simple hashes agree with the official vectors`(_ text: String, _ hash: String) throws {
        #expect(try node(text).hash == hash)
    }

    @Test func `Minus zero would have a hash of its own and is written as zero`() throws {
        #expect(TreeNode.leaf(.double(-0.0)).hash == "m/gA365Q5OBo06Bg8wdybAAiMSQ=")
        #expect(try node("-0").hash == node("0").hash)
    }

    @Test func `Equal trees have equal hashes, whatever their history`() throws {
        var chance = try Chance(seed: 21)
        var tree = TreeNode.absent
        for _ in 0..<1_500 {
            tree = tree.setting(chance.random.chance(4) ? .absent : chance.node(height: 2), at: chance.path())
            // Asked for between, so that what nodes keep would show if it went stale.
            if chance.random.chance(3) { _ = tree.hash }
            guard chance.random.chance(10) else { continue }
            let rebuilt = try node(exported(tree))
            #expect(rebuilt == tree)
            #expect(rebuilt.hash == tree.hash)
        }
    }

    @Test func `Different trees have different hashes`() throws {
        var chance = try Chance(seed: 22)
        var trees: [String: TreeNode] = [:]
        for _ in 0..<1_000 {
            let made = chance.node()
            if let other = trees.updateValue(made, forKey: made.hash) { #expect(other == made) }
        }
    }

    @Test func `What cannot be a hash is answered without making one`() throws {
        let tree = TreeNode(children: try (0..<100).map { (key: try key("k\($0)"), node: .leaf(.integer(1))) })
        for text in ["", "x", String(repeating: "A", count: 27), String(repeating: "A", count: 29)] {
            #expect(!tree.agrees(with: text))
        }
        #expect(!tree.hasKeptHash)
        #expect(!tree.agrees(with: String(repeating: "A", count: 28)))
        #expect(tree.hasKeptHash)
        #expect(TreeNode.absent.agrees(with: ""))
        #expect(!TreeNode.absent.agrees(with: String(repeating: "A", count: 28)))
    }

    @Test func `A tree's own hash agrees, and Apple's beneath other nodes`() throws {
        let inner = #"{"a":{".value":1,".priority":2},"b":{".value":2,".priority":1}}"#
        for text in [#"{"x":{"y":\#(inner)},"z":1}"#, #"{"x":{"y":\#(inner)},"z":{".value":1,".priority":1}}"#] {
            let tree = try node(text)
            #expect(tree.agrees(with: tree.hash))
            let apple = Oracle.simpleHash(Model(tree), isAppleOrder: true)
            #expect(apple != tree.hash)
            for _ in 0..<2 { #expect(tree.agrees(with: apple)) }
        }
    }

    @Test(arguments: [12, 200])
    func `Simple hashes agree with what the reference says`(_ keyCount: Int) throws {
        var chance = try Chance(seed: 23, keyCount: keyCount)
        for _ in 0..<(keyCount > 12 ? 60 : 600) {
            let tree = chance.node()
            #expect(tree.hash == Oracle.simpleHash(Model(tree)))
            #expect(tree.agrees(with: Oracle.simpleHash(Model(tree), isAppleOrder: true)))
        }
    }

    @Test func `The order of Apple's clients counts as well`() throws {
        let all = try node(#"{"a":{".value":1,".priority":2},"b":{".value":2,".priority":1}}"#)
        let inKeyOrder = ":a:\(all.child(try key("a")).hash):b:\(all.child(try key("b")).hash)"
        let quirk = String(
            decoding: Base64.encode(SHA1.digest(Array(inKeyOrder.utf8)), .standard, isPadded: true),
            as: UTF8.self
        )
        #expect(all.hash != quirk)
        #expect(all.agrees(with: quirk))
        #expect(all.agrees(with: all.hash))
        #expect(!all.agrees(with: "x"))
        // Not when one child has none.
        let some = try node(#"{"a":{".value":1,".priority":2},"b":{".value":2,".priority":1},"c":3}"#)
        let text = inKeyOrder + ":c:\(try node("3").hash)"
        #expect(
            !some.agrees(
                with: String(
                    decoding: Base64.encode(SHA1.digest(Array(text.utf8)), .standard, isPadded: true),
                    as: UTF8.self
                )
            )
        )
    }
}
