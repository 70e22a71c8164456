import BrasaDocuments
import BrasaRules
import Testing

/// What expressions are worth. An error is given by its text.
struct ExpressionTests {
    static let operators: [(String, String)] = [
        (
            "1 < 2 < 3",
            "Unsupported operation error. Received: bool < int. Expected: int < int, float < float, "
                + "string < string, bytes < bytes, duration < duration, timestamp < timestamp."
        ),
        ("(1 == 2) == false", "true"),
        ("1 == 2 == false", "true"),
        ("true == 1 in [1]", "false"),
        ("'' is string == true", "true"),
        ("!false && true", "true"),
        ("!!true", "true"),
        ("!1", "Type error. Received: [int] Expected: [bool]."),
        ("-(-5) == 5", "true"),
        ("2 - -3 == 5", "true"),
        ("-9223372036854775808 < 0", "true"),
        ("(-9223372036854775807 - 1) / -1 < 0", "true"),
        (
            "-(-9223372036854775808) > 0",
            "Integer value is out of the [-9223372036854775808, 9223372036854775807] range."
        ),
        ("9007199254740993 == 9007199254740992.0", "true"),
        ("float('NaN') == float('NaN')", "false"),
        ("float('NaN') < 1 || float('NaN') >= 1", "false"),
        ("0.0 == -0.0", "true"),
        ("7.5 % 2 == 1.5", "true"),
        ("5 % 0 == 0", "Divide by zero error."),
        (
            "'a' + 1 == 'a1'",
            "Unsupported operation error. Received: string + int. Expected: int + int, float + float, "
                + "string + string, duration + duration, duration + timestamp, timestamp + duration."
        ),
        ("1 + 1.5 == 2.5", "true"),
        ("null && false", "false"),
        ("null || false", "Type error. Received: [null] Expected: [bool]."),
        ("false && 1 / 0 == 1", "false"),
        ("'\u{FFFD}' < '😀'", "false"),
        ("'b' in 'abc'", "Function not found error: Name: [in]."),
        ("1 in {'a': 1}", "Function not found error: Name: [in]."),
        ("'a' in {'a': 1}", "true"),
        ("[1, [2]] == [1, [2]]", "true"),
        ("{'a': 1} == {'a': 1.0}", "false"),
        ("{'a': 1, 'a': 2}.a == 2", "true"),
        ("{1: 2} == {}", "Type error. Received: [int] Expected: [string]."),
        ("'abc'[1] == 'b' && 'abc'[1:1] == ''", "true"),
        ("[1][1:] == []", "Index out of bound error. Index: [1] , size: [1]."),
        ("[1,2,3][2:1] == []", "Illegal range error. From index: [2] , To index: [1]."),
        ("[1,2,3][3] == 1", "Index out of bound error. Index: [3] , size: [3]."),
        ("[1][0.0] == 1", "Function not found error: Name: [[]]."),
        ("[1 / 0, 1].size() == 2", "Divide by zero error."),
        ("true ? true : 1 / 0 == 0", "true"),
        ("1 ? true : false", "Type error. Received: [int] Expected: [bool]."),
        ("(1).x == 2", "Type error. Received: [int] Expected: [map,path]."),
        ("math.abs(-1) is int && 1.5 is number && 1 is number && !(1 is float)", "true"),
        ("[1].toSet() is set", "true"),
        ("resource.data.f is float && resource.data.m is map && resource.data.n == null", "true"),
        ("resource.data.m.k == 'v' && resource.data['m']['j'] == 2", "true"),
        ("resource.data.m.z == 1", "Property z is undefined on object."),
        ("resource.data.a.z == 1", "Type error. Received: [int] Expected: [map,path]."),
        ("resource.data.n.z == 1", "Null value error."),
        ("resource.data.__x__ == 1", "Property __x__ is undefined on object."),
        ("resource.data.size() == 8 && 'a' in resource.data && !('zz' in resource.data)", "true"),
        ("resource.id == 'x' && resource.__name__ == request.path && resource.size() == 3", "true"),
        ("resource.keys() == ['__name__', 'data', 'id']", "true"),
        ("'auth' in request && !('resource' in request) && request.get('foo', 1) == 1", "true"),
        ("request.resource == null", "Property resource is undefined on object."),
        ("request.resource.data.a == 1", "Property resource is undefined on object."),
        ("request.query.limit == 1", "Property query is undefined on object."),
        ("request.method == 'get' && request.time == timestamp.value(1700000000000)", "true"),
        ("request.auth.uid == 'alice' && request.auth.token.sub == 'alice'", "true"),
        ("nosuch == 1", "Null value error."),
        ("nosuch(1) == 1", "Function not found error: Name: [nosuch]."),
        ("'a'.nosuch() == 1", "Function not found error: Name: [nosuch]."),
        ("(1).size() == 1", "Function not found error: Name: [size]."),
        ("null.size() == 1", "Null value error."),
        ("firestore.get(/a/b) == 1", "Null value error."),
        (
            "[1].hasAll('a')",
            "Unsupported operation error. Received: list.hasAll(string). Expected: list.hasAll(list|set)."
        ),
        ("debug(debug(1)) == 1", "true"),
    ]

    @Test(arguments: operators) func `Operators`(expression: String, expected: String) throws {
        #expect(try outcome(of: expression) == expected)
    }

    static let methods = [
        "'😀'.size() == 2 && 'é'.size() == 1 && b'é'.size() == 2",
        "'É'.lower() == 'É' && 'ABC'.lower() == 'abc' && 'aé'.upper() == 'Aé'",
        "' \\t a b\\n'.trim() == 'a b' && '\\u00A0'.trim() == '\\u00A0'",
        "',,'.split(',') == [''] && ''.split(',') == [''] && 'abc'.split('') == ['','a','b','c']",
        "'a1b22c'.split('[0-9]+') == ['a','b','c'] && 'a,b,,'.split(',') == ['a','b']",
        "'John Smith'.replace('(\\\\w+) (\\\\w+)', '$2 $1') == 'Smith John'",
        "'ab'.replace('(?P<x>a)', '[${x}]') == '[a]b' && 'a'.replace('a', '\\\\$') == '$'",
        "'aaa'.replace('a', 'bb') == 'bbbbbb' && 'abc'.replace('', '-') == '-a-b-c-'",
        "'ü'.toUtf8() == b'\\xc3\\xbc' && b'\\xff\\xff\\xff\\xff'.toBase64() == '_____w=='",
        "b'\\x01\\xab'.toHexString() == '01AB' && b'\\377' == b'\\xff'",
        "[1,2].concat([3]) == [1,2,3] && [1,2,1].removeAll([1]) == [2]",
        "[1, 1.5, true, null, 'a', /b/c].join('-') == '1-1.5-true-null-a-/b/c' && [].join(',') == ''",
        "[1,1,2].toSet().size() == 2 && [1,1.0].toSet().size() == 1 && [1].toSet() != [1]",
        "[1.0].hasAll([1]) == false && [1].hasAll([1,1].toSet()) && ![].hasAny([]) && [1,2].hasAny([2,3])",
        "['a','b'].hasOnly(['a']) == false && ['a'].toSet().hasOnly(['a','b']) && ['a'].toSet().hasAll(['a'])",
        "[1,2].toSet().difference([2].toSet()) == [1].toSet()",
        "[1,2].toSet().intersection([2,3].toSet()) == [2].toSet()",
        "[1,2].toSet().union([2,3].toSet()).size() == 3",
        "{'b':1,'a':2}.keys() == ['a','b'] && {'b':1}.values() == [1] && {}.size() == 0",
        "{'a':{'b':null}}.get(['a','b'], 1) == null && {'a':1}.get(['a','b'], 7) == 7 && {'a':1}.get([], 1) == {'a':1}",
        "{'a':1}.diff({'b':1}).addedKeys() == ['a'].toSet() && {'a':1}.diff({'b':1}).removedKeys() == ['b'].toSet()",
        "{'a':1}.diff({'a':1.0}).changedKeys().size() == 0",
        // Sets and differences tell values apart as documents are ordered, however deep.
        "{'a':[1], 'b':{'c': 1}}.diff({'a':[1.0], 'b': {'c': 1.0}}).changedKeys().size() == 0",
        "{'a': float('NaN')}.diff({'a': float('NaN')}).changedKeys().size() == 0",
        "{'a': [float('NaN')]}.diff({'a': [float('NaN')]}).unchangedKeys() == ['a'].toSet()",
        "{'a': 9007199254740993}.diff({'a': 9007199254740992.0}).changedKeys() == ['a'].toSet()",
        "{'a': 0.0}.diff({'a': -0.0}).changedKeys().size() == 0",
        "[float('NaN'), float('NaN')].toSet().size() == 1 && float('NaN') in [float('NaN')].toSet()",
        "!(float('NaN') in [float('NaN')]) && ![float('NaN')].hasAny([float('NaN')])",
        "[float('NaN')].removeAll([float('NaN')]).size() == 1 && [float('NaN')] != [float('NaN')]",
        "[[1]].toSet() == [[1.0]].toSet() && [1] in [[1.0]].toSet() && [{'a':1},{'a':1.0}].toSet().size() == 1",
        "!(9007199254740993 in [9007199254740992.0].toSet()) && [9007199254740993].toSet().hasAll([9007199254740993])",
        "[9007199254740993, 9007199254740992.0].toSet().size() == 2",
        // Zeros are equal, but within lists and maps only those of one sign.
        "-0.0 in [0.0] && [0.0].hasAny([-0.0]) && [0.0] != [-0.0] && {'a': 0.0} != {'a': -0.0}",
        "![[0.0]].hasAny([[-0.0]]) && [[0.0]].toSet() == [[-0.0]].toSet()",
        "latlng.value(0, 0) != latlng.value(-0.0, 0) && latlng.value(0, 1) == latlng.value(0, 1)",
        "{'a':1}.diff({'a':2}) != {'a':1}.diff({'a':2}) && [{'a':1}.diff({'a':2})].toSet().size() == 1",
        "{'a':1,'b':2}.diff({'a':1,'b':3}).unchangedKeys() == ['a'].toSet()",
        "{'a':1}.diff({}) is map_diff",
        "(/a/{x}).bind({'x': 'q'}) == /a/q && (/a/{x=**}).bind({'x': /b/c}) == /a/b/c",
        "(/a/{x}).bind({'x': 'q'}).x == 'q' && (/a/{x}).bind({'x': 'q'})['x'] == 'q'",
        "path('/a/%20b') == /a/%20b && path('a/b') == /a/b && path('/a/{x}').bind({'x':'y'}) == /a/y",
        "/a/b[1] == 'b' || true",
        "(/a/b)[1] == 'b' && string(/a/b) == '/a/b' && /a/b != '/a/b'",
        "/t/$(1)/$(true)/$(null)/$(/p/q) == /t/1/true/null/p/q",
        "timestamp.date(2024, 2, 29).dayOfYear() == 60 && timestamp.date(2024, 2, 29).dayOfWeek() == 4",
        "timestamp.value(0).year() == 1970 && timestamp.value(-1).nanos() == 999000000",
        "timestamp.value('2023-11-14T22:13:20Z') == request.time && request.time.toMillis() == 1700000000000",
        "timestamp.value('2023-11-14T23:13:20.5+01:00').seconds() == 20",
        "request.time.date() == timestamp.date(2023, 11, 14) && request.time.time() == duration.time(22, 13, 20, 0)",
        "request.time.hours() == 22 && request.time.minutes() == 13 && request.time.month() == 11",
        "request.time.day() == 14 && timestamp.date(1, 1, 1) < request.time",
        "request.time + duration.value(1, 'd') - request.time == duration.value(24, 'h')",
        "duration.value(-1500, 'ms').seconds() == -1 && duration.value(-1500, 'ms').nanos() == -500000000",
        "duration.abs(duration.value(-1, 'w')) == duration.value(7, 'd') && -duration.value(1,'s') < duration.value(1,'ns')",
        "latlng.value(0, 0).distance(latlng.value(0, 1)) > 111195 && latlng.value(0, 0).distance(latlng.value(0, 1)) < 111195.1",
        "latlng.value(1, 2).latitude() == 1.0 && latlng.value(1, 2).longitude() is float",
        "int('-12') == -12 && int(1.9) == 1 && int(-1.9) == -1 && int(float('NaN')) == 0 && int('+5') == 5",
        "int(float('1e300')) == 9223372036854775807 && float('1e3') == 1000.0 && float('.5') == 0.5",
        "string(1.0) == '1.0' && string(10000000.0) == '1.0E7' && string(0.0001) == '1.0E-4' && string(-0.0) == '-0.0'",
        "string(123456.789) == '123456.789' && string(0.001) == '0.001' && string(null) == 'null'",
        "bool('true') && !bool('false')",
        "math.round(2.5) == 3 && math.round(-1.5) == -1 && math.round(-2.5) == -2",
        "math.ceil(1.2) == 2 && math.floor(-1.2) == -2 && [math.ceil(1.2)] == [2]",
        "math.pow(2, 10) == 1024.0 && math.isNaN(math.sqrt(-1)) && math.isInfinite(1.0 / 0)",
        "hashing.crc32('a').toHexString() == '43BEB7E8' && hashing.crc32c(b'a') == hashing.crc32c('a')",
        "hashing.crc32c('123456789').toHexString() == '839206E3'",
        "hashing.md5('').toHexString() == 'D41D8CD98F00B204E9800998ECF8427E'",
        "hashing.sha256('abc').toHexString() == 'BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD'",
        "'a\\nb'.matches('a.b') == false && 'a\\nb'.matches('(?s)a.b') && 'ABC'.matches('(?i)abc')",
    ]

    @Test(arguments: methods) func `Methods and functions`(expression: String) throws {
        #expect(try outcome(of: expression) == "true")
    }

    static let failures: [(String, String)] = [
        ("int('abc') == 1", "Type conversion error. Argument: [abc], From type: [string], To type: [int]."),
        ("float('') == 1", "Type conversion error. Argument: [], From type: [string], To type: [float]."),
        ("float('inf') == 1", "Type conversion error. Argument: [inf], From type: [string], To type: [float]."),
        ("timestamp.date(2023, 2, 29) == null", "Date is not valid. year: 2023, month: 2 day: 29."),
        (
            "latlng.value(91, 0) == null",
            "Latitude should be in [-90,90] range and longitude should be in [-180,180] range. "
                + "latitude: 91.0, longitude: 0.0."
        ),
        ("path('') == null", "Empty Path Template is not allowed."),
        ("path('a//b') == null", "Invalid Path Template a//b. Empty segment is not allowed."),
        ("(/a/{x}).bind({'y': 'q'}) == null", "Variable(s) y do not exist in the path template."),
        ("get(/databases/{db}/documents/t/x) == null", "Variable db is not bound in path template."),
        ("get('a') == null", "Unsupported operation error. Received: get(string). Expected: get(path)."),
        ("exists(/t/x)", "Service call error. Function: [exists], Argument: [/t/x]."),
        (
            "exists(/databases/other/documents/t/x)",
            "Service call error. Function: [exists], Argument: [/databases/other/documents/t/x]."
        ),
        (
            "exists(/databases/(default)/documents/t)",
            "Service call error. Function: [exists], Argument: [/databases/(default)/documents/t]."
        ),
        ("'a'.matches('a' + '[')", "Invalid regular expression pattern. Pattern: a[."),
        ("'a'.replace('a', '$9') == ''", "Invalid replacement. Replacement: $9."),
        ("[[]].join(',') == ''", "Type error. Received: [list] Expected: [bool,float,int,null,path,string]."),
    ]

    @Test(arguments: failures) func `What functions refuse`(expression: String, expected: String) throws {
        #expect(try outcome(of: expression) == expected)
    }
}
