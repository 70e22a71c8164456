import BrasaTree
import BrasaTreeRules
import Testing

/// One `.write` at `/rooms/$room`, judged for `{"text":"Hello","n":5}` at `/rooms/r1` over what is there.
struct ExpressionTests {
    private static let before =
        #"{"rooms":{"r1":{"n":4,"text":"old","flag":true,".priority":7}},"users":{"alice":{"name":"A","age":30}}}"#

    private func holds(_ expression: String, as auth: JSONValue = alice) throws -> Bool {
        let rules = try rules(#"{"rules":{"rooms":{"$room":{".write":\#(quoted(expression))}}}}"#)
        return try rules.writes("rooms/r1", #"{"text":"Hello","n":5}"#, in: Self.before, as: auth)
    }

    @Test(arguments: [
        // Values and their comparison
        "true", "1 == 1.0", "1 !== '1'", "!('1' == 1)", "null == null", "data.child('x').val() === null",
        "newData.val() != null", "newData.val() !== 5", "'a' < 'b'", "2 < 10", "'10' < '2'", "'\u{1F435}' < '\u{FFFF}'",
        // Arithmetic
        "1 + 2 * 3 == 7", "(1 + 2) * 3 == 9", "7 % 4 == 3", "-3 + 4 == 1", "10 - 2 - 3 == 5", "'a' + 1 == 'a1'",
        "1 + 'a' == '1a'", "'a' + null == 'anull'", "'x' + 1.5 + true == 'x1.5true'", "!(1 / 0 < 1/0 - 1/0)",
        "newData.child('n').val() + '' == '5'", "1e3 == 1000",
        // Logic
        "true || auth.uid.nothing.more", "!(false && auth.x.y.z == 1)", "true ? true : false", "1 > 2 ? false : true",
        "false ? false : true ? true : false",
        // Snapshots
        "data.exists() && newData.exists()", "data.child('n').val() < newData.child('n').val()", "data.hasChild('n')",
        "!data.hasChild('')", "newData.hasChildren()", "newData.hasChildren(['text', 'n'])",
        "!newData.hasChildren(['text', 'zz'])",
        "data.parent().parent().child('users/alice/name').val() == 'A'", "data.getPriority() == 7",
        "newData.getPriority() == null", "newData.child('text').isString()", "newData.child('n').isNumber()",
        "data.child('flag').isBoolean()", "!newData.isString()", "root.child('users').child(auth.uid).exists()",
        "root.child('users/' + auth.uid + '/age').val() >= 18", "newData.parent().child('r1/n').val() == 5",
        // Strings
        "'hello'.length == 5", "'é🐵'.length == 3", "newData.child('text').val().length == 5",
        "'hello'.contains('ell')", "'hello'.beginsWith('he') && 'hello'.endsWith('lo')", "!'hello'.contains('x')",
        "'a.b.c'.replace('.', ',') == 'a,b,c'", "'AbC'.toLowerCase() == 'abc'", "'AbC'.toUpperCase() == 'ABC'",
        "'hello'.matches(/^h.*o$/)", "'hello'.matches(/L/i)", "!'hello'.matches(/L/)", "'a/b'.matches(/\\//)",
        "'x12'.matches(/[0-9]{2}/)", "'2024-01-02'.matches(/^(19|20)[0-9][0-9][-\\/. ](0[1-9]|1[012])/)",
        "newData.child('text').val().matches(/ell/)",
        // Who asks, and when
        "auth != null", "auth.uid === 'alice'", "auth['uid'] == 'alice'", "auth.provider == 'password'",
        "auth.token.email_verified", "auth.token.admin === true", "auth.token.nothing == null",
        "auth.token['level'] >= 3", "auth.token.roles[1] == 'y'", "auth['u' + 'id'] == 'alice'",
        "now == 5000", "$room == 'r1'", "$room.length == 2", "root.child('rooms').hasChild($room)",
        // Blanks and comments
        " true /* yes */ && // and\n true ",
    ])
    func `Expressions that hold`(_ expression: String) throws {
        #expect(try self.holds(expression))
    }

    /// Whatever has no value makes the whole rule false, wherever it stands.
    @Test(arguments: [
        "false", "auth.uid.nothing.more", "!(auth.uid.nothing.more)", "auth.uid.nothing.more || true",
        "auth.token.nothing.more == null", "auth.token.nothing.more != 1", "newData.child('n').val() < 'a'",
        "newData.child('zz').val() < 1", "!(newData.child('zz').val() < 1)", "data.val() > 1",
        "newData.child('n').val().length == 1",
        "newData.child('n').val().contains('5')", "data.parent().parent().parent().exists() || true",
        "newData.child('text').val() - 1 == 0", "-newData.child('text').val() == 0",
        "newData.child('a.b').exists() || true", "newData.child('text').val() ? true : true",
        "data.child(newData.child('n').val()).exists() || true", "1/0 - 1/0 == 1/0 - 1/0",
        "newData.val() == newData.child('n').val()", "newData.child('n').val()", "auth.token.level",
    ])
    func `Expressions that do not hold`(_ expression: String) throws {
        #expect(try !self.holds(expression))
    }

    @Test(arguments: ["auth.uid != null", "auth.uid == null", "auth.token.x == null", "!(auth.uid == 'x')"])
    func `A member of nobody is an error`(_ expression: String) throws {
        #expect(try !self.holds(expression, as: .null))
    }

    @Test func `Nobody is null`() throws {
        #expect(try self.holds("auth == null", as: .null))
        #expect(try !self.holds("auth != null && auth.uid == 'x'", as: .null))
    }

    /// What is refused when rules are uploaded.
    @Test(arguments: [
        ("data == newData", "Operands of =="), ("1 + 1", "A rule must be a boolean"),
        ("'a'", "A rule must be a boolean"),
        ("data", "A rule must be a boolean"), ("1 < true", "Operands of <"), ("1 < 'a'", "Operands of <"),
        ("now && true", "An operand of &&"), ("true || 'a'", "An operand of ||"), ("!1", "The operand of !"),
        ("-'a' == 1", "The operand of -"), ("'a' - 1 == 0", "Operands of -"), ("now ? true : false", "The condition"),
        ("data.x == 1", "No such method/property 'x'."), ("data.val == 1", "No such method/property 'val'."),
        ("'a'.substring(1) == ''", "No such method/property 'substring'."),
        ("now.length == 1", "No such method/property 'length'."), ("query.x == 1", "No such method/property 'x'."),
        ("data.foo()", "No such method/property 'foo'."), ("foo == 1", "Unknown variable 'foo'."),
        ("$other == 1", "Unknown variable '$other'."), ("data.hasChildren([])", "hasChildren needs"),
        ("data.hasChildren([1])", "Arguments of 'hasChildren'"), ("data.child(1).exists()", "Arguments of 'child'"),
        ("data.child() == 1", "'child' takes 1"), ("'a'.matches('b')", "'matches' takes"),
        ("'a'.matches(/(/)", "Invalid regular expression."), ("'a'.matches(/a/g)", "The only flag"),
        ("'a'.matches(/(a)\\1/)", "Invalid regular expression."),
        ("'a'.matches(/(?=a)/)", "Invalid regular expression."),
        ("true &&", "Unexpected end"), ("(true", "Unexpected end"), ("true true", "Unexpected 'true'."),
        ("now = 1", "Unexpected character."), ("true; false", "Unexpected character."), ("/a/", "Unexpected literal."),
        ("[1] == 1", "Unexpected '['."), ("'a", "A string does not end."), ("/* x", "A comment does not end."),
        ("1 ** 2 == 1", "Unexpected '*'."), ("data[1]", "Only auth"), ("1e999 == 1", "Invalid number."),
    ])
    func `Expressions that are refused`(_ expression: String, _ message: String) {
        let text = #"{"rules":{"rooms":{"$room":{".write":\#(quoted(expression))}}}}"#
        let diagnostics = refusal(text)
        #expect(diagnostics.count == 1)
        #expect(diagnostics.first?.message.hasPrefix(message) == true, "\(diagnostics)")
        #expect(diagnostics.first?.rule == "/rooms/$room/.write")
    }

    @Test func `A read has no newData`() {
        #expect(refusal(#"{"rules":{".read":"newData.exists()"}}"#).map(\.message) == ["A .read rule has no newData."])
    }

    @Test(arguments: [
        String(repeating: "(", count: 5_000) + "true" + String(repeating: ")", count: 5_000),
        String(repeating: "!", count: 5_000) + "true", "1" + String(repeating: " + 1", count: 5_000) + " == 1",
        "data" + String(repeating: ".parent()", count: 5_000) + ".exists()",
    ])
    func `Expressions have a depth`(_ expression: String) {
        #expect(
            refusal(#"{"rules":{".write":\#(quoted(expression))}}"#).map(\.message) == [
                "The expression is nested too deeply."
            ]
        )
    }

    @Test func `A chain of conditions may be as long as the text`() throws {
        let chain = Array(repeating: "now > 0", count: 500).joined(separator: " && ")
        #expect(try rules(#"{"rules":{".read":\#(quoted(chain))}}"#).reads("/"))
    }

    /// Each is dear for few characters; the budget ends them, and nobody is let in.
    @Test(arguments: [
        "data.val().contains('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab') || true",
        "data.val().matches(/(a*)*(a*)*(a*)*b/) || true",
        "data.val().replace('a', data.val()).length > 0",
        "data.val().replace('a', 'aaaaaaaaaa').replace('a', data.val()).length > 0",
    ])
    func `What takes too long is refused`(_ expression: String) throws {
        let rules = try rules(#"{"rules":{"$x":{".read":\#(quoted(expression))}}}"#)
        let root = TreeNode.absent.setting(
            .leaf(.string(TreeText(String(repeating: "a", count: 100_000)))),
            at: try path("x")
        )
        let decision = rules.read(try path("x"), in: root, .init(auth: .null, milliseconds: 0))
        #expect(!decision.isAllowed)
        #expect(decision.work == TreeRuleLimits().work)
    }
}
