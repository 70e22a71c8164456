import BrasaRules
import Testing

/// What the compiler says of a file, with line and column.
struct DiagnosticTests {
    struct Case: CustomTestStringConvertible {
        var source: String
        var errors: [String]
        var warnings: [String] = []

        init(_ source: String, errors: [String] = [], warnings: [String] = []) {
            self.source = source
            self.errors = errors
            self.warnings = warnings
        }

        var testDescription: String { self.source }
    }

    /// The statement stands in the fourth line, from the third column on.
    static func statement(_ text: String) -> String {
        "rules_version = '2';\nservice cloud.firestore {\nmatch /t/{id} {\n  \(text)\n}\n}\n"
    }

    static func condition(_ text: String) -> String { self.statement("allow get: if \(text);") }

    static let files: [Case] = [
        Case("", errors: ["L1:1 Rules content empty. Compilation aborted."]),
        Case("// nothing\n", errors: ["L1:1 Rules content empty. Compilation aborted."]),
        Case(
            "rules_version = '3'; service cloud.firestore { match /a { allow get; } }",
            errors: ["L1:17 Unsupported rules version 3."]
        ),
        Case(
            "service cloud.firestore { match /a { allow get; } }",
            warnings: [
                "L1:1 Ruleset uses old version (version [1]). Please update to the latest version (version [2])."
            ]
        ),
        Case(
            "rules_version = '2'; service cloud.firestore {}",
            errors: ["L1:47 The 'service' body must contain at least one declaration."]
        ),
        Case(
            "rules_version = '2'; service cloud.firestore { match /a {} }",
            errors: ["L1:58 The 'match' body must contain at least one declaration."]
        ),
        Case("rules_version = '2'; function f() {}", errors: ["L1:36 Missing 'function' body"]),
        Case("rules_version = '2'; import 'a' as b;", errors: ["L1:22 Import statements are not allowed."]),
        Case(
            "rules_version = '2'; service a.b { match /x { allow get; } }",
            warnings: ["L1:30 Invalid service name: a.b."]
        ),
        Case("rules_version = '2'; service firebase.storage { match /x { allow get; } }"),
        Case(
            "rules_version = '2'; service cloud.firestore { match /x { allow get; } }\n"
                + "service cloud.firestore { match /x { allow get; } }",
            errors: ["L2:9 Duplicate service name declaration."]
        ),
        Case(
            "rules_version = '2'; service cloud.firestore { match /a { allow get; }",
            errors: ["L1:71 missing '}' at '<EOF>'"]
        ),
        Case(
            "\u{FEFF}rules_version = '2'; service cloud.firestore { match /a { allow get; } }",
            errors: ["L1:1 token recognition error at: '\u{FEFF}'"]
        ),
        Case("rules_version = '2'; service cloud.firestore { allow get; }", errors: ["L1:48 Unexpected 'allow'."]),
        Case(
            "rules_version = '2'; service cloud.firestore { /a { allow get; } }",
            errors: ["L1:48 Missing 'match' keyword before path."]
        ),
        Case(
            "rules_version = '2'; function f() { return true; } function f() { return 1; }",
            errors: ["L1:61 Function f is already defined."],
            warnings: ["L1:31 Unused function: f."]
        ),
        Case(
            "rules_version = '2'; service cloud.firestore { match /a/{b=**} { match /{c=**} { allow get; } } }",
            errors: [
                "L1:74 Invalid glob match expression. Only one glob match is permitted in a match declaration path."
            ]
        ),
        Case(
            "rules_version = '1'; service cloud.firestore { match /{c=**}/a { allow get; } }",
            errors: [
                "L1:56 Invalid glob match expression. Glob matches are permitted as the last segment in a match "
                    + "declaration path."
            ],
            warnings: [
                "L1:17 Ruleset uses old version (version [1]). Please update to the latest version (version [2])."
            ]
        ),
        Case(
            "rules_version = '2'; service cloud.firestore { match /{a}/b/{a} { allow get; } }",
            errors: ["L1:62 Variable a already exists in the PathTemplate."]
        ),
        Case(
            "rules_version = '2'; service cloud.firestore { match /t/{id}/ { allow get; } }",
            errors: ["L1:61 Forward slash '/' found where identifier or binding expected."]
        ),
        Case(
            "rules_version = '2'; service cloud.firestore { match / { allow get; } }",
            errors: ["L1:54 Forward slash '/' found where identifier or binding expected."]
        ),
    ]

    static let statements: [Case] = [
        Case(statement("allow read: true;"), errors: ["L4:15 Missing 'if' before conditional expression."]),
        Case(statement("allow read if true;"), errors: ["L4:14 Missing ':' before 'if' condition."]),
        Case(statement("allow: if true;"), errors: ["L4:8 Expected at least one 'operation' after 'allow'."]),
        Case(statement("allow read: if ;"), errors: ["L4:18 Missing conditional expression after 'if'."]),
        Case(statement("allow foo: if true;"), warnings: ["L4:9 Invalid method name: foo."]),
        Case(statement("allow READ, Write: if true"), errors: []),
        Case(statement("allow get;;"), errors: ["L4:13 Unexpected ';'."]),
        Case(
            statement("function f(a, a) { return a; }"),
            errors: ["L4:17 The identifier [a] is already bound in the current scope."],
            warnings: ["L4:12 Unused function: f.", "L4:14 Unused variable: a."]
        ),
        Case(
            statement("function f() { let x = 1; return true; } allow get: if f();"),
            warnings: ["L4:22 Unused variable: x."]
        ),
        Case(
            statement("function f() { let x = 1 return x; } allow get: if f();"),
            errors: ["L4:28 mismatched input 'return' expecting ';'"]
        ),
        Case(
            statement("function math() { let math = 1; return math.abs(1); } allow get: if f();"),
            errors: ["L4:25 math is a package and cannot be used as variable name."],
            warnings: [
                "L4:12 Unused function: math.", "L4:25 Unused variable: math.", "L4:71 Invalid function name: f.",
            ]
        ),
        Case(
            statement("function f() { return f(); } allow get: if f();"),
            errors: ["L4:12 Recursive call is not allowed."]
        ),
        Case(
            statement("function a() { return b(); } function b() { return a(); } allow get: if a();"),
            errors: ["L4:12 Detected a call cycle between [a,b] functions."]
        ),
    ]

    static let conditions: [Case] = [
        Case(condition("x"), warnings: ["L4:17 Invalid variable name: x."]),
        Case(condition("f(1)"), warnings: ["L4:17 Invalid function name: f."]),
        Case(condition("get()"), warnings: ["L4:17 Incorrect number of arguments supplied to function: get."]),
        Case(
            condition("1"),
            warnings: ["L4:17 Invalid type. Permission statements expect a boolean value. Received one of [int]."]
        ),
        Case(condition("1 && true"), warnings: ["L4:17 Invalid type. Received one of [int]. Expected one of [bool]."]),
        Case(
            condition("1 == 'a'"),
            warnings: ["L4:17 The sub-expressions are not comparable, so this comparison will always return false."]
        ),
        Case(
            condition("1 != 'a'"),
            warnings: ["L4:17 The sub-expressions are not comparable, so this comparison will always return true."]
        ),
        Case(condition("1 == 1.0")),
        Case(condition("math == 1"), errors: ["L4:17 math is a package and cannot be used as variable name."]),
        Case(
            condition("2--3 == 5"),
            errors: ["L4:18 Increment (++) and decrement (--) operators are not supported."]
        ),
        Case(condition("- -5 == 5"), errors: ["L4:19 Unexpected '-'."]),
        Case(condition("4/2 == 2"), errors: ["L4:18 Unexpected '/'."]),
        Case(condition("4/ 2 == 2 && 1 / 2 == 0")),
        Case(
            condition("/ a == 1"),
            errors: ["L4:17 Forward slash '/' found where identifier or binding expected."]
        ),
        Case(condition("007 == 7"), errors: ["L4:18 Unexpected '0'."]),
        Case(condition("1e3 == 7"), errors: ["L4:18 Unexpected 'e3'."]),
        Case(condition("5. == .5")),
        Case(condition("9223372036854775808 == 7"), errors: ["L4:17 Invalid number literal 9223372036854775808."]),
        Case(condition("99999999999999999999 == 7"), errors: ["L4:17 Invalid number literal 99999999999999999999."]),
        Case(condition("'a\\q' == ''"), errors: ["L4:19 token recognition error at: '\\q'"]),
        Case(condition("b'\\u0041' == b''"), errors: ["L4:19 Invalid bytes literal \\u."]),
        Case(condition("'a"), errors: ["L4:17 Missing a closing '"]),
        Case(condition("#"), errors: ["L4:17 token recognition error at: '#'"]),
        Case(condition("{'a': 1}.allow(1)"), errors: ["L4:31 Unexpected '('."]),
        Case(condition("resource.allow == resource.in")),
        Case(condition("$ == 1"), errors: ["L4:17 Unexpected '$'."]),
        Case(condition("resource.$ == 1"), errors: ["L4:26 Unexpected '$'."]),
        Case(condition("exists(/a/($b.c)/*d)")),
        Case(condition("exists(/a/*b*//c)")),
        Case(condition("f(1)(2)"), errors: ["L4:21 Unexpected '('."]),
        Case(
            condition("x is nothing"),
            errors: [
                "L4:22 An unsupported type identifier was used with the 'is' operator. Received nothing. Expected one "
                    + "of bool,bytes,constraint,duration,float,int,latlng,list,vector,set,number,map,string,timestamp,"
                    + "path,map_diff"
            ]
        ),
        Case(condition("'a'.matches('[')"), errors: ["L4:29 Invalid regular expression pattern. Pattern: [."]),
        Case(
            condition("1 in [1] == true"),
            warnings: [
                "L4:22 Invalid type. Received one of [bool]. Expected one of [list,set,map].",
                "L4:22 The operator '==' binds tighter than 'in' and 'is'. Use parentheses to say what is meant.",
                "L4:22 The sub-expressions are not comparable, so this comparison will always return false.",
            ]
        ),
        Case(condition("(1 in [1]) == true")),
        Case(condition("request.in.null.allow == 1")),
        Case(condition("request.service == 1"), errors: ["L4:25 Unexpected 'service'."]),
    ]

    @Test(arguments: files + statements + conditions)
    func `Errors and warnings have the text and the place`(example: Case) {
        let compilation = Ruleset.compile(example.source)
        func texts(_ severity: Diagnostic.Severity) -> [String] {
            compilation.diagnostics.filter { $0.severity == severity }.map(\.description).sorted()
        }
        #expect(texts(.error) == example.errors.sorted())
        if example.errors.isEmpty || !example.warnings.isEmpty { #expect(texts(.warning) == example.warnings.sorted()) }
        #expect((compilation.ruleset == nil) == !example.errors.isEmpty)
    }

    @Test func `One reading tells of several errors, each once`() {
        let source = """
            rules_version = '2';
            service cloud.firestore {
              match /a/{b} {
                allow read: true;
                allow get: if 1 +;
                function f( { return 1; }
                match /c { allow write: if (1; }
              }
              match /d { allow foo: if x ==; }
            }
            """
        let errors = Ruleset.compile(source).diagnostics.filter { $0.severity == .error }.map(\.position.line)
        #expect(errors == [4, 5, 6, 7, 9])
    }

    @Test func `Columns and offsets count code points`() throws {
        let source = "rules_version = '2';\n/* 😀é */ service 😀"
        let error = try #require(Ruleset.compile(source).diagnostics.first)
        #expect(error.position.line == 2)
        #expect(error.position.column == 18)
        #expect(error.position.startOffset == 38)
        #expect(error.position.endOffset == 38)
    }
}
