// The rules of a schema, and the reader that uses it.
#include "config/schema.hpp"

#include <gtest/gtest.h>

#include "config/reader.hpp"

namespace {

using namespace config;

std::string with(const std::string &properties, const std::string &more = "") {
    return R"({"type": "object", "additionalProperties": false, "properties": {)" + properties +
           "}" + more + "}";
}

const Schema &sample() {
    static const Schema schema(with(
        R"("count": {"type": "integer", "minimum": 0, "maximum": 18446744073709551615},
           "share": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.5},
           "word": {"enum": ["a", "b"]}, "name": {"type": "string", "maxLength": 3},
           "hex": {"type": "string", "pattern": "^[0-9a-f]*$", "maxLength": 9, "description": "hex"},
           "list": {"type": "array", "maxItems": 3, "uniqueItems": true, "items": {"$ref": "#/$defs/n"}},
           "either": {"type": "object", "additionalProperties": false, "minProperties": 1,
                      "maxProperties": 1, "properties": {"x": {"const": 1}, "y": {"const": 2}}})",
        R"(, "required": ["word"], "$defs": {"n": {"type": "integer", "minimum": -5, "maximum": 5}})"));
    return schema;
}

// The message about a document with these keys beside its required one.
std::string message(const std::string &keys) {
    try {
        sample().check(parse(R"({"word": "a", )" + keys + "}", "f"), "f");
    } catch (const Error &error) {
        return error.what();
    }
    return "";
}

TEST(Schema, AcceptsWhatKeepsItsRules) {
    EXPECT_EQ(message(R"("count": 18446744073709551615, "share": 1, "name": "äöü", "hex": "")"),
              "");
    EXPECT_EQ(message(R"("count": 5.0, "list": [-5, 5, 0], "either": {"y": 2})"), "");
}

TEST(Schema, NamesFileKeyAndRemedy) {
    EXPECT_EQ(message(R"("count": 0.5)"), "f: count: is not a whole number; give a whole number "
                                          "from 0 to 18446744073709551615");
    EXPECT_EQ(message(R"("share": 1.5)"),
              "f: share: 1.5 is out of range; give a number from 0 to 1");
    EXPECT_EQ(message(R"("list": [1, 9])"),
              "f: list[1]: 9 is out of range; give a whole number from -5 to 5");
    EXPECT_EQ(message(R"("list": [1, 1.0])"), "f: list[1]: 1.0 is given twice; name it once");
    EXPECT_EQ(message(R"("list": [1, 2, 3, 4])"), "f: list: is a list of 4; give at most 3");
    EXPECT_EQ(message(R"("name": "four")"),
              "f: name: has 4 characters; give a text of at most 3 characters");
    EXPECT_EQ(message(R"("hex": "g")"), "f: hex: \"g\" is not right; write hex");
    EXPECT_EQ(message(R"("either": {})"), "f: either: has 0 keys; give 1 to 1 of \"x\", \"y\"");
    EXPECT_EQ(message(R"("shre": 1)"),
              "f: shre: is not a known key; remove it, or correct its spelling");
    try {
        sample().check(Json::object(), "f");
        FAIL();
    } catch (const Error &error) {
        EXPECT_STREQ(error.what(), "f: word: is missing; choose one of \"a\", \"b\"");
    }
}

TEST(Schema, RefusesHostileValues) {
    EXPECT_NE(message(R"("count": 18446744073709551616)"), "");
    EXPECT_NE(message(R"("count": 1e19)"), "");
    EXPECT_NE(message(R"("count": 1e999)"), "");
    EXPECT_NE(message(R"("count": -1)"), "");
    EXPECT_NE(message(R"("hex": "a\u0000g")"), "");
    EXPECT_NE(message(R"("list": 1, "list": 2)"), "");
    const std::string deep(100000, '[');
    EXPECT_NE(message(R"("list": )" + deep + std::string(100000, ']')), "");
    EXPECT_NE(message(R"("share": )" + deep + std::string(100000, ']')), "");
    EXPECT_NE(message(R"("share": )" + deep), "");
}

TEST(Schema, HasNoRuleThatNobodyChecks) {
    for (const char *property :
         {R"("a": {"type": "number", "minimum": 0})", R"("a": {"type": "array", "contains": {}})",
          R"("a": {"type": "integer", "minimum": 0, "maximum": 1, "default": 2})",
          R"("a": {"type": "object", "properties": {}})", R"("a": {"$ref": "other.json"})",
          R"("a": {"type": "text"})", R"("a": {"type": "string", "pattern": "a"})"})
        EXPECT_THROW(Schema{with(property)}, std::exception) << property;
}

TEST(Reader, KnowsDefaultsAndWords) {
    const Json document = parse(R"({"word": "b"})", "f");
    Reader reader(document, sample(), "f");
    EXPECT_EQ(reader.get<double>("share"), 0.5);
    EXPECT_EQ(reader.get("count", 7), 7);
    constexpr std::array<std::string_view, 2> words{"b", "a"};
    EXPECT_EQ(reader.choice("word", words), 0u);
    EXPECT_THROW(reader.get<int>("count"), std::logic_error);
    EXPECT_THROW(reader.get<int>("cuont"), std::logic_error);
    EXPECT_THROW(reader.choice("word", std::array<std::string_view, 1>{"a"}), std::logic_error);
}

TEST(Reader, FindsKeysOfTheSchemaThatNothingReads) {
    const Json document = parse(R"({"word": "b"})", "f");
    Reader reader(document, sample(), "f");
    for (const char *key : {"count", "share", "word", "name", "hex", "list"})
        reader.has(key);
    EXPECT_THROW(reader.finish(), std::logic_error);
    reader.has("either");
    EXPECT_NO_THROW(reader.finish());
}

TEST(ReadFile, NamesAFileThatCannotBeRead) {
    EXPECT_THROW(read_file("/nonexistent/file.json"), Error);
    EXPECT_THROW(read_file("/"), Error);
}

} // namespace
