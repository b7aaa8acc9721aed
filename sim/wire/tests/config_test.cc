// Is a wrong schedule refused with one line that names key, problem and remedy?
#include <gtest/gtest.h>

#include "config.hpp"
#include "config/error.hpp"

namespace {

std::string refusal(const std::string &fault) {
    try {
        wire::read_config(R"({"device":{"tap":"a"},"server":{"tap":"b"},"faults":[)" + fault + "]}",
                          "file");
    } catch (const config::Error &error) {
        return error.what();
    }
    return "";
}

TEST(Config, AFaultNeedsOneBeginning) {
    EXPECT_EQ(refusal(R"({"number":1,"kind":"loss"})"),
              "file: faults[0].at_ms: is needed, or packet; give one of the two");
    EXPECT_NE(refusal(R"({"number":1,"kind":"loss","at_ms":1,"packet":{"name":"SYN"}})"), "");
}

TEST(Config, UnknownKindsKeysAndRangesAreRefused) {
    for (const char *fault :
         {R"({"number":1,"kind":"lost","at_ms":1})", R"({"number":1,"kind":"loss","at_s":1})",
          R"({"number":1,"kind":"loss","at_ms":-1})", R"({"number":0,"kind":"loss","at_ms":1})",
          R"({"number":1,"kind":"loss","packet":{"name":"HELLO"}})",
          R"({"number":1,"kind":"half_open","at_ms":1})"})
        EXPECT_NE(refusal(fault), "") << fault;
}

TEST(Config, TheTimeOfANatIsAPositiveNumber) {
    const auto with = [](const std::string &idle) {
        return wire::read_config(
            R"({"device":{"tap":"a"},"server":{"tap":"b"},"nat_idle_ms":)" + idle + "}", "file");
    };
    EXPECT_EQ(with("30000").nat_idle, std::chrono::seconds(30));
    EXPECT_THROW(with("0"), config::Error);
    EXPECT_THROW(with("\"30\""), config::Error);
}

TEST(Config, TwoFaultsHaveTwoNumbers) {
    const std::string one = R"({"number":1,"kind":"loss","at_ms":1})";
    EXPECT_NE(refusal(one + "," + one), "");
}

TEST(Config, AFrameKindWithoutLengthAffectsOneFrame) {
    const auto faults = wire::read_config(R"({"device":{"tap":"a"},"server":{"tap":"b"},"faults":[)"
                                          R"({"number":1,"kind":"loss","at_ms":1},)"
                                          R"({"number":2,"kind":"loss","at_ms":1,"for_ms":5},)"
                                          R"({"number":3,"kind":"link_down","at_ms":1}]})",
                                          "file")
                            .faults;
    EXPECT_EQ(faults[0].frames, 1u);
    EXPECT_EQ(faults[1].frames, 0u);
    EXPECT_EQ(faults[2].frames, 0u);
}

} // namespace
